// Logs are lines of JSON with constant messages and fields. Secrets never reach them.
import { systemClock } from '@kubernaut/backoff';
import { type DestinationStream, type Logger, pino } from 'pino';
import { APP } from '../app.ts';
import { createLogOutput } from './log-output.ts';

const SECRETS = ['authorization', 'token', 'password', 'headers.authorization', 'req.headers.authorization', '*.token'];

export function createLogger(level: string, pod: string, destination?: DestinationStream): Logger {
	const options = {
		level,
		base: { app: APP.name, pod },
		timestamp: pino.stdTimeFunctions.isoTime,
		formatters: { level: (label: string) => ({ level: label }) },
		redact: { paths: SECRETS, censor: '[redacted]' },
	};
	return pino(options, destination ?? standardOutput());
}

function standardOutput(): DestinationStream {
	// It gives up quietly when nobody reads any more; an app goes on without its log.
	const stdout = pino.destination({ dest: 1, sync: true });
	const output = createLogOutput((lines) => stdout.write(lines), systemClock);
	process.once('exit', () => output.flush());
	return output;
}
