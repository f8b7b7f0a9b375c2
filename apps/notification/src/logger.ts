// Logs are lines of JSON with constant messages and fields. Secrets never reach them.
import { type DestinationStream, type Logger, pino } from 'pino';
import { APP } from './app.ts';

const SECRETS = ['authorization', 'token', 'password', 'headers.authorization', 'req.headers.authorization', '*.token'];

export function createLogger(level: string, pod: string, destination?: DestinationStream): Logger {
	const options = {
		level,
		base: { app: APP.name, pod },
		timestamp: pino.stdTimeFunctions.isoTime,
		formatters: { level: (label: string) => ({ level: label }) },
		redact: { paths: SECRETS, censor: '[redacted]' },
	};
	return destination === undefined ? pino(options) : pino(options, destination);
}
