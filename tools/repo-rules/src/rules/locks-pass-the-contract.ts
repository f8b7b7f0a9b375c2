// The code is copied, the contract is shared: an app with a lock runs it on its own copy (docs/adr/0002).
import { importedModules } from '../imports.ts';
import { exists, namesIn, readText } from '../tree.ts';
import type { Violation } from '../violation.ts';

const LOCK = 'src/distributed-lock.ts';
const CONTRACT_TEST = 'test/distributed-lock.contract.test.ts';
const MIN_REASON_WORDS = 4;

export function locksPassTheContract(root: string): Violation[] {
	return namesIn(root, 'apps').flatMap((app) => {
		if (!exists(root, `apps/${app}/${LOCK}`)) return [];
		const where = `apps/${app}/${CONTRACT_TEST}`;
		if (!exists(root, where))
			return [{ where, what: `is missing: ${app} has ${LOCK}, so it must run describeLockContract on it` }];
		const source = readText(root, where);
		const call = callIn(source);
		const problems: Violation[] =
			call === undefined
				? [{ where, what: "does not call describeLockContract at the top level: call it with this app's lock" }]
				: unexplainedWaivers(call).map((what) => ({ where, what }));
		if (!importedModules(source).includes(`../${LOCK}`))
			problems.push({ where, what: `does not import ../${LOCK}: the contract must run on this app's own copy` });
		return problems;
	});
}

/** The text between its parentheses. What begins a line stands at the top level: the formatter sees to that. */
function callIn(source: string): string | undefined {
	const code = source.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/`[^`]*\n[^`]*`/g, "''");
	return /^describeLockContract\(([^]*?)\);$/m.exec(code)?.[1];
}

/** The third argument: rule to reason, written out in the call, where a reader sees it. */
function unexplainedWaivers(call: string): string[] {
	if (/\.\.\.|\},\s*\w+\s*,?\s*$/.test(call)) return ['write the waivers out in the call, each with its reason'];
	return [...call.matchAll(/[{,]\s*['"]?(L\d+)['"]?\s*:\s*(['"]?)(.*)\2/g)]
		.filter(([, , quote, reason = '']) => quote === '' || reason.split(/\s+/).length < MIN_REASON_WORDS)
		.map(([, rule]) => `waives ${rule} without saying why: give the reason in words`);
}
