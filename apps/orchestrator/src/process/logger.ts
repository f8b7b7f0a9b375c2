// Logs are lines of JSON with constant messages and fields. Secrets are redacted.
// Lines are written together: a write for each would stand between a request and its answer. They wait FLUSH_MS at most;
// a warning or an error writes them at once, and so does the end of the process.
// Not guaranteed: the last FLUSH_MS of a process that is killed.
import { type DestinationStream, type Logger, pino } from 'pino';
import { APP } from '../app.ts';

const SECRETS = ['authorization', 'token', 'password', 'headers.authorization', 'req.headers.authorization', '*.token'];
const BUFFER_BYTES = 4096;
const FLUSH_MS = 100;
const WARNING = 40;

type LogOutput = DestinationStream & { flush?(): void };

export function createLogger(level: string, pod: string, output: LogOutput = standardOutput()): Logger {
	return pino(
		{
			level,
			base: { app: APP.name, pod },
			timestamp: pino.stdTimeFunctions.isoTime,
			formatters: { level: (label: string) => ({ level: label }) },
			redact: { paths: SECRETS, censor: '[redacted]' },
			hooks: {
				logMethod(line, write, lineLevel) {
					write.apply(this, line);
					if (lineLevel >= WARNING) output.flush?.();
				},
			},
		},
		output,
	);
}

/** A closed pipe is ignored: the app goes on without its log. */
function standardOutput(): LogOutput {
	const stdout = pino.destination({ dest: 1, sync: true, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS });
	// Not flushSync, which tries for ever when the pipe is closed.
	process.once('exit', () => stdout.flush());
	return stdout;
}
