// Values in the text that Prometheus reads.

/** The sum of all series of a metric, or of those whose labels contain this text; 0 when there is none. */
export function sumOf(text: string, metric: string, labels = ''): number {
	return text
		.split('\n')
		.filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `))
		.filter((line) => line.includes(labels))
		.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

export function has(text: string, metric: string): boolean {
	return text.includes(`\n# TYPE ${metric} `) || text.startsWith(`# TYPE ${metric} `);
}
