import { expect, it } from 'vitest';
import { diffLines, shortened } from './line-diff.ts';

function diff(first: string, second: string): string[] {
	return shortened(diffLines(first, second), 1);
}

it.each([
	{ first: 'a\nb', second: 'a\nb', want: ['  ...'] },
	{ first: 'a', second: 'b', want: ['- a', '+ b'] },
	{ first: '', second: 'a\nb', want: ['+ a', '+ b'] },
	{ first: 'a\nb', second: '', want: ['- a', '- b'] },
	{ first: 'a\nb\nc', second: 'a\nx\nc', want: ['  a', '- b', '+ x', '  c'] },
	{ first: 'a\nb\nc', second: 'b\nc\nd', want: ['- a', '  b', '  c', '+ d'] },
	{ first: '1\n2\n3\n4\n5\n6', second: '1\n2\n3\n4\nx\n6', want: ['  ...', '  4', '- 5', '+ x', '  6'] },
])('$first | $second', ({ first, second, want }) => {
	expect(diff(first, second)).toEqual(want);
});
