// Logs are lines of JSON with constant messages and fields. Secrets never reach them.
import { systemClock } from '@kubernaut/backoff';
import { type DestinationStream, type Logger, pino } from 'pino';
import { APP } from './app.ts';
import { createLogOutput } from './log-output.ts';

const SECRETS = ['authorization', 'token', 'password', 'headers.authorization', 'req.headers.authorization', '*.token'];
const MOST_KEPT_BYTES = 8192;

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
	const lines = pino.destination({ dest: 1, sync: true, minLength: MOST_KEPT_BYTES });
	process.once('exit', () => lines.flushSync());
	return createLogOutput(lines, systemClock);
}
