// docs/targets.md names what the CRD names.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
	REMEDIATION_REQUEST_LIMITS,
	REMEDIATION_REQUEST_TARGET_SOURCES,
} from '../src/generated/remediation-request.ts';

const PAGE = readFileSync(new URL('../../../docs/targets.md', import.meta.url), 'utf8');

it('the page says of every source of a target what it means', () => {
	const rows = [...PAGE.matchAll(/^\| (\w+) \| [^|]+ \|$/gm)].map(([, source]) => source);
	expect(rows).toEqual(expect.arrayContaining([...REMEDIATION_REQUEST_TARGET_SOURCES]));
});

it('the page says how many alerts of a request are followed', () => {
	expect(PAGE).toContain(`more than ${REMEDIATION_REQUEST_LIMITS['status.alerts'].maxProperties} alerts`);
});
