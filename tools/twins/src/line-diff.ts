// Two texts as one, line by line: what only the first has with "-", what only the second has with "+".

export type DiffLine = { readonly mark: '-' | '+' | ' '; readonly text: string };

/** The fewest lines that differ, by the longest run that both have in common. */
export function diffLines(first: string, second: string): DiffLine[] {
	const a = linesOf(first);
	const b = linesOf(second);
	// common[i][j]: how many lines a from i and b from j have in common
	const common = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
	const at = (i: number, j: number) => common[i]?.[j] ?? 0;
	for (let i = a.length - 1; i >= 0; i--)
		for (let j = b.length - 1; j >= 0; j--)
			common[i]![j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
	const lines: DiffLine[] = [];
	for (let i = 0, j = 0; i < a.length || j < b.length; ) {
		if (i < a.length && j < b.length && a[i] === b[j]) {
			lines.push({ mark: ' ', text: a[i]! });
			i++;
			j++;
		} else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1)))
			lines.push({ mark: '-', text: a[i++]! });
		else lines.push({ mark: '+', text: b[j++]! });
	}
	return lines;
}

/** Unchanged lines further than `around` from a change become one "...". */
export function shortened(lines: readonly DiffLine[], around = 2): string[] {
	const near = lines.map((_, index) =>
		lines.slice(Math.max(0, index - around), index + around + 1).some(({ mark }) => mark !== ' '),
	);
	return lines.flatMap(({ mark, text }, index) => {
		if (near[index]) return [`${mark} ${text}`.trimEnd()];
		return index > 0 && !near[index - 1] ? [] : ['  ...'];
	});
}

function linesOf(text: string): string[] {
	return text === '' ? [] : text.split('\n');
}
