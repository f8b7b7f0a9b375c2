// Logs are lines of JSON with constant messages and fields. Secrets are redacted.
// A warning or an error is written at once, with the lines before it. A log that is not read keeps nothing from going on:
// log-output.ts says what becomes of its lines.
import { type DestinationStream, type Logger, pino } from 'pino';
import { APP } from '../app.ts';
import { LogOutput, type WriteNow, writeToStandardOutput } from './log-output.ts';

const SECRETS = ['authorization', 'token', 'password', 'headers.authorization', 'req.headers.authorization', '*.token'];
const WARNING = 40;

/** `lineDropped`: the log was not read for so long that a line had to be dropped. */
export function createLogger(
	level: string,
	pod: string,
	lineDropped: () => void = () => {},
	writeNow?: WriteNow,
): Logger {
	const output = new LogOutput(writeNow ?? writeToStandardOutput(), {
		lineDropped,
		readAgain: (lines) => log.warn({ lines }, 'log lines dropped'),
	});
	if (writeNow === undefined) process.once('exit', () => output.end());
	const log = pino(
		{
			level,
			base: { app: APP.name, pod },
			timestamp: pino.stdTimeFunctions.isoTime,
			formatters: { level: (label: string) => ({ level: label }) },
			redact: { paths: SECRETS, censor: '[redacted]' },
			hooks: {
				logMethod(line, write, lineLevel) {
					write.apply(this, line);
					if (lineLevel >= WARNING) output.flush();
				},
			},
		},
		output satisfies DestinationStream,
	);
	return log;
}
