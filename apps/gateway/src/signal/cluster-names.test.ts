import { describe, expect, it } from 'vitest';
import { followClusters } from './cluster-names.ts';

function follow(isNamed: boolean) {
	const warnings: string[] = [];
	const seen = followClusters(isNamed, {
		notOurs() {},
		secondCluster: (cluster, isNew) => void warnings.push(isNew ? `${cluster}, new` : cluster),
	});
	return { seen, warnings };
}

describe('names of clusters', () => {
	it('one cluster is no warning', () => {
		const { seen, warnings } = follow(false);
		for (const cluster of ['a', 'a', 'a']) seen(cluster);
		expect(warnings).toEqual([]);
	});

	it('a second cluster is a warning each time, and new only once', () => {
		const { seen, warnings } = follow(false);
		for (const cluster of ['a', 'b', 'a', 'b', 'c']) seen(cluster);
		expect(warnings).toEqual(['b, new', 'b', 'c, new']);
	});

	it('with a name configured there is no warning', () => {
		const { seen, warnings } = follow(true);
		for (const cluster of ['a', 'b']) seen(cluster);
		expect(warnings).toEqual([]);
	});

	it('of very many names only some are remembered', () => {
		const { seen, warnings } = follow(false);
		for (let n = 0; n < 200; n++) seen(`c${n}`);
		seen('c199');
		expect(warnings.filter((warning) => warning.endsWith('new'))).toHaveLength(99);
		expect(warnings).toHaveLength(200);
	});
});
