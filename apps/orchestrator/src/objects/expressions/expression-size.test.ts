import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { expressionSize } from './expression-size.ts';

const SOURCES = [
	'^$',
	'^Crash$',
	'^Kube(Pod|Deployment|StatefulSet).*$',
	'^(?i)disk(Full|Slow)[[:digit:]]?$',
	'^(?P<word>\\pL+)(?:-\\p{Greek}+)?$',
	'^a{3}b{2,}c{0,7}d{,5}e{x}$',
	'^(a{3}b?){4,9}$',
	'^((a|b|c){10}){10}$',
	'^((((a{2}){2}){2}){2}){2}$',
	'^[]a]+[^]]*[\\]{2}][[:alpha:]{3}]{4}$',
	'^\\Qa{100}\\E{3}$',
	'^\\x41\\x{1F600}\\101\\{50\\}[\\d\\s]{5}$',
	'^(?:(?i:abc)|(?s)x.y){20}$',
	'^(.*?){1,50}?$',
	'^😀{20}$',
	'^.{1,100}-.{1,100}-.{1,100}$',
	'^(){100}(a?){100}(|b){50}$',
];

describe('the size of an expression', () => {
	it.each(SOURCES)('%s: what it compiles to, or somewhat more', (source) => {
		const compiled = RE2JS.compile(source).programSize();
		// Its beginning, end and match are instructions, too.
		expect(expressionSize(source) + 4).toBeGreaterThanOrEqual(compiled);
		expect(expressionSize(source)).toBeLessThanOrEqual(4 * compiled + 4);
	});

	it('grows with the product of nested counts, without being compiled', () => {
		expect(expressionSize('^((((a{100}){100}){100}){100}){100}$')).toBeGreaterThan(1e10);
	});
});
