import { describe, expect, it } from 'vitest';
import { groupedLabels, selectedSeries } from './query-series.ts';

describe('selectedSeries', () => {
	it.each([
		{ expression: 'up', want: ['up'] },
		{ expression: 'sum by (code) (rate(gateway_api_requests_total[5m]))', want: ['gateway_api_requests_total'] },
		{ expression: 'histogram_quantile(0.95, sum by (le) (rate(a_bucket[5m])))', want: ['a_bucket'] },
		{ expression: 'a:b:ratio5m{app="x"} < 0.99', want: ['a:b:ratio5m'] },
		{ expression: 'absent(up{job="a"} == 1) or b_ready == 0', want: ['up', 'b_ready'] },
	])('$expression reads $want', ({ expression, want }) => {
		expect(selectedSeries(expression).map(({ metric }) => metric)).toEqual(want);
	});

	it('has the labels that are selected', () => {
		expect(selectedSeries('a{b="c", d=~"e|f"}')).toEqual([
			{
				metric: 'a',
				matchers: [
					{ label: 'b', operator: '=', value: 'c' },
					{ label: 'd', operator: '=~', value: 'e|f' },
				],
			},
		]);
	});
});

it('groupedLabels has each label once', () => {
	expect(groupedLabels('sum by (le, code) (a) / sum by (code) (b)')).toEqual(['le', 'code']);
});
