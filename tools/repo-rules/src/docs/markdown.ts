export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const lines = [head.map(escaped), head.map(() => '---'), ...rows.map((row) => row.map(escaped))];
	return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

export function code(text: string): string {
	return `\`${text}\``;
}

function escaped(cell: string): string {
	return cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}
