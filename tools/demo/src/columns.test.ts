import { expect, it } from 'vitest';
import { columns } from './columns.ts';

it('cells stand under each other, and no line ends with blanks', () => {
	expect(
		columns([
			['A', 'LONG', 'C'],
			['aaaa', 'b', ''],
			['', '', 'c'],
		]),
	).toEqual(['A      LONG   C', 'aaaa   b', '              c']);
});

it('nothing makes nothing', () => {
	expect(columns([])).toEqual([]);
});
