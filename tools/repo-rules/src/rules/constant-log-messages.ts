// A log message is a constant text, with the details in fields beside it: people search for it, and docs/log-messages.md
// lists it.
import { logCalls } from '../log-calls.ts';
import { isTest, namesIn, readText, sourcesUnder } from '../tree.ts';
import type { Violation } from '../violation.ts';

export function constantLogMessages(root: string): Violation[] {
	return namesIn(root, 'apps')
		.flatMap((app) => sourcesUnder(root, `apps/${app}/src`))
		.filter((path) => !isTest(path))
		.flatMap((path) =>
			logCalls(readText(root, path)).flatMap((call) =>
				'expression' in call
					? [
							{
								where: `${path}:${call.line}`,
								what: `logs the message ${call.expression || '(none)'}: write the text out, and put what varies into a field`,
							},
						]
					: [],
			),
		);
}
