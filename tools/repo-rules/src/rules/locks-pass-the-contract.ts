// Copy the code, share the contract: an app with a lock runs the conformance suite on its own copy (docs/adr/0002).
import { importedModules } from '../imports.ts';
import { exists, namesIn, readText } from '../tree.ts';
import type { Violation } from '../violation.ts';

const LOCK = 'src/distributed-lock.ts';
const CONTRACT = 'test/distributed-lock.contract.test.ts';
const CALLS = 'describeLeaseContract, or describeLockContract for a lock that is not a Lease';
const MIN_WORDS_OF_A_REASON = 4;

export function locksPassTheContract(root: string): Violation[] {
	return namesIn(root, 'apps').flatMap((app) => {
		if (!exists(root, `apps/${app}/${LOCK}`)) return [];
		const where = `apps/${app}/${CONTRACT}`;
		if (!exists(root, where)) return [{ where, what: `is missing: ${app} has ${LOCK}, so it must call ${CALLS}` }];
		const source = readText(root, where);
		const call = callIn(source);
		const problems: Violation[] =
			call === undefined
				? [{ where, what: `does not call the suite at the top level: call ${CALLS}, with this app's lock` }]
				: unexplainedWaivers(call).map((what) => ({ where, what }));
		if (!importedModules(source).includes(`../${LOCK}`))
			problems.push({ where, what: `does not import ../${LOCK}: the suite must run on this app's own copy` });
		return problems;
	});
}

/** The text between its parentheses. A call at the beginning of a line is at the top level: the formatter sees to that. */
function callIn(source: string): string | undefined {
	const code = source.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/`[^`]*\n[^`]*`/g, "''");
	return /^describe(?:Lease|Lock)Contract\(([^]*?)\);$/m.exec(code)?.[1];
}

/** The third argument: rule or capability to reason, written where every reader of the test sees it. */
function unexplainedWaivers(call: string): string[] {
	if (/\.\.\.|(?:\}|^[^,{]+,\s*\w+),\s*\w+\s*,?\s*$/.test(call))
		return ['write the waivers out in the call, each with its reason'];
	const waivers = /,\s*(\{[^{}]*\})\s*,?\s*$/.exec(call)?.[1] ?? '';
	return [...waivers.matchAll(/[{,]\s*['"]?(L\d+|withLock|metrics)['"]?\s*:\s*(['"]?)(.*)\2/g)]
		.filter(([, , quote, reason = '']) => quote === '' || reason.split(/\s+/).length < MIN_WORDS_OF_A_REASON)
		.map(([, rule]) => `waives ${rule} without saying why: give the reason in words`);
}
