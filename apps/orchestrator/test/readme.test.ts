// The README lists every phase, in the order of the schema, and every block reason.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { REMEDIATION_REQUEST_BLOCK_REASONS, REMEDIATION_REQUEST_PHASES } from '../src/generated/remediation-request.ts';

const page = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const firstWords = [...page.matchAll(/^\| ([A-Z][A-Za-z]+) \|/gm)].map(([, word]) => word);

describe('the README', () => {
	it('lists every phase except Pending, in the order of the schema', () => {
		const phases = REMEDIATION_REQUEST_PHASES.filter((phase) => phase !== 'Pending');
		expect(firstWords.slice(0, phases.length)).toEqual(phases);
	});

	it('lists every block reason', () => {
		const reasons = firstWords.slice(REMEDIATION_REQUEST_PHASES.length - 1);
		expect(reasons.toSorted()).toEqual(REMEDIATION_REQUEST_BLOCK_REASONS.toSorted());
	});
});
