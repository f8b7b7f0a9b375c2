// Which series a PromQL expression reads: names with the labels that it selects or groups by. Enough of the language for
// our own rules and dashboards; promtool parses them in full.

export type Selected = { readonly metric: string; readonly matchers: readonly Matcher[] };
export type Matcher = { readonly label: string; readonly operator: string; readonly value: string };

const WORDS = new Set(
	'sum max min avg count rate increase histogram_quantile absent by without or and unless on ignoring le bool offset'.split(
		' ',
	),
);

export function selectedSeries(expression: string): Selected[] {
	const withoutGroups = expression.replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ');
	const found = withoutGroups.matchAll(/([a-zA-Z_][\w:]*)\s*(?:\{([^}]*)\})?/g);
	return [...found]
		.filter(([, name = ''], index, all) => !WORDS.has(name) && !isUnit(withoutGroups, all[index]?.index ?? 0))
		.map(([, metric = '', inside = '']) => ({ metric, matchers: matchersIn(inside) }));
}

/** The `m` of `5m`. */
function isUnit(text: string, at: number): boolean {
	return /\d/.test(text[at - 1] ?? '');
}

/** The labels that it groups by. */
export function groupedLabels(expression: string): string[] {
	const lists = [...expression.matchAll(/\bby\s*\(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(','));
	return [...new Set(lists.map((label) => label.trim()).filter((label) => label !== ''))];
}

function matchersIn(inside: string): Matcher[] {
	return [...inside.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g)].map(([, label = '', operator = '', value = '']) => ({
		label,
		operator,
		value,
	}));
}
