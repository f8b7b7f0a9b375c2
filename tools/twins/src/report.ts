// What was found, for people: where, what, how the two differ, and what to do about it.
import type { Difference, Finding } from './compare.ts';
import { diffLines, shortened } from './line-diff.ts';

export function inWords(findings: readonly Finding[]): string {
	return findings.map(findingInWords).join('\n\n');
}

function findingInWords({ where, what, differences, reference, whatToDo }: Finding): string {
	return [
		`${where} ${what}`,
		...differences.flatMap((difference) => ['', ...indented(differenceInWords(difference, reference, where), 2)]),
		...(differences.length === 0 ? [] : ['']),
		...indented(toDo(whatToDo), 2),
	].join('\n');
}

function differenceInWords({ name, reference, copy }: Difference, referencePath: string, copyPath: string): string[] {
	return [
		name,
		reference === undefined ? `- not in ${referencePath}` : `- ${referencePath}:${reference.line}`,
		copy === undefined ? `+ not in ${copyPath}` : `+ ${copyPath}:${copy.line}`,
		...indented(shortened(diffLines(reference?.text ?? '', copy?.text ?? '')), 2),
	];
}

/** A line that is to be written stands on a line of its own. */
function toDo([first = '', ...others]: readonly string[]): string[] {
	return [`What to do: ${first}`, ...others.map((line) => (line.startsWith('//') ? `  ${line}` : line))];
}

function indented(lines: readonly string[], by: number): string[] {
	return lines.map((line) => (line === '' ? '' : ' '.repeat(by) + line));
}
