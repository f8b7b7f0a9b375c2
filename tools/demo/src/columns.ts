// Cells under each other.

/** Left-aligned; the last column may be as long as it likes. */
export function columns(rows: readonly (readonly string[])[], gap = '   '): string[] {
	const count = Math.max(0, ...rows.map((row) => row.length));
	const widths = Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	return rows.map((row) =>
		row
			.map((cell, column) => cell.padEnd(widths[column] ?? 0))
			.join(gap)
			.trimEnd(),
	);
}
