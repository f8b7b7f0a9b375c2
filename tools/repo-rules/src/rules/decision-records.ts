// docs/adr: numbered without gaps, the number of the file is that of its heading, and each has a status, a date and the same sections.
import { filesUnder, readText } from '../tree.ts';
import type { Violation } from '../violation.ts';

const FOLDER = 'docs/adr';
const SECTIONS = ['Context', 'Decision', 'Consequences'];
const STATUS = /^# .+\n\nStatus: (?:proposed|accepted|replaced by \d{4}), \d{4}-\d\d-\d\d$/m;

export function decisionRecords(root: string): Violation[] {
	const paths = filesUnder(root, FOLDER);
	const numbers = paths.map((path) => Number(/\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]));
	const gaps = Array.from({ length: Math.max(0, ...numbers.filter(Number.isInteger)) }, (_, index) => index + 1)
		.filter((number) => numbers.filter((other) => other === number).length !== 1)
		.map((number) => ({
			where: FOLDER,
			what: `${padded(number)} must stand exactly once: numbers are given in order and never reused`,
		}));
	return [
		...(paths.length === 0 ? [{ where: FOLDER, what: 'is empty: decisions are recorded there' }] : []),
		...gaps,
		...paths.flatMap((path, index) => problemsOf(path, numbers[index] ?? Number.NaN, readText(root, path))),
	];
}

function problemsOf(path: string, number: number, text: string): Violation[] {
	if (Number.isNaN(number)) return [{ where: path, what: 'name it like 0001-record-decisions.md' }];
	const headingNumber = /^# (\d+)\. \S/.exec(text)?.[1];
	const sections = [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1]?.trim());
	const missing = SECTIONS.filter((section) => !sections.includes(section));
	return [
		...(headingNumber === String(number)
			? []
			: [{ where: path, what: `begin it with "# ${number}. <title>": the heading has the number of the file` }]),
		...(STATUS.test(text)
			? []
			: [
					{
						where: path,
						what: 'has no line "Status: accepted, YYYY-MM-DD" under its heading (proposed, accepted, replaced by NNNN)',
					},
				]),
		...missing.map((section) => ({ where: path, what: `has no section "## ${section}": add it` })),
	];
}

function padded(number: number): string {
	return String(number).padStart(4, '0');
}
