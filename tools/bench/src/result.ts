// One measured figure: what it was, what it had to be, and what it is compared with.

export type Result = {
	readonly name: string;
	readonly value: number;
	readonly unit: string;
	/** Undefined: measured for its own sake. */
	readonly target?: { readonly atMost: number } | { readonly atLeast: number } | { readonly exactly: number };
	/** The same thing done the way that we replace. */
	readonly baseline?: number;
	/** The same thing with nothing of ours in between. */
	readonly floor?: number;
};

export function passes({ value, target }: Result): boolean {
	if (target === undefined) return true;
	if ('atMost' in target) return value <= target.atMost;
	if ('atLeast' in target) return value >= target.atLeast;
	return value === target.exactly;
}

function targetText({ target }: Result): string {
	if (target === undefined) return '';
	if ('atMost' in target) return `<= ${target.atMost}`;
	if ('atLeast' in target) return `>= ${target.atLeast}`;
	return `= ${target.exactly}`;
}

export function toJson(results: readonly Result[]): string {
	const rows = results.map((result) => ({
		name: result.name,
		value: result.value,
		unit: result.unit,
		target: targetText(result),
		pass: passes(result),
		...(result.baseline === undefined ? {} : { baseline: result.baseline }),
		...(result.floor === undefined ? {} : { floor: result.floor }),
	}));
	return `${JSON.stringify({ results: rows }, undefined, 2)}\n`;
}

export function toTable(results: readonly Result[]): string {
	const rows = results.map((result) => [
		result.name,
		`${round(result.value)} ${result.unit}`,
		targetText(result),
		result.baseline === undefined ? '' : String(round(result.baseline)),
		result.floor === undefined ? '' : String(round(result.floor)),
		passes(result) ? '' : 'MISSED',
	]);
	const lines = [['figure', 'value', 'target', 'baseline', 'floor', ''], ...rows];
	const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
	return lines
		.map((line) =>
			line
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

function round(value: number): number {
	return Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 100) / 100;
}
