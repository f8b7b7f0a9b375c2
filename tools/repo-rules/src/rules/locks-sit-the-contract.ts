// Copy the code, share the exam: an app with a lock runs the contract on its own copy (docs/adr/0002).
import { importedModules } from '../imports.ts';
import { exists, namesIn, readText } from '../tree.ts';
import type { Violation } from '../violation.ts';

const LOCK = 'src/distributed-lock.ts';
const EXAM = 'test/distributed-lock.contract.test.ts';

export function locksSitTheContract(root: string): Violation[] {
	return namesIn(root, 'apps').flatMap((app) => {
		if (!exists(root, `apps/${app}/${LOCK}`)) return [];
		const where = `apps/${app}/${EXAM}`;
		if (!exists(root, where))
			return [{ where, what: `is missing: ${app} has ${LOCK}, so it must run describeLockContract on it` }];
		const source = readText(root, where);
		const problems: Violation[] = [];
		if (!/^\s*(?:await\s+)?describeLockContract\s*\(/m.test(source))
			problems.push({ where, what: "does not call describeLockContract: call it with this app's lock" });
		if (!importedModules(source).includes(`../${LOCK}`))
			problems.push({ where, what: `does not import ../${LOCK}: the exam must sit on this app's own copy` });
		return problems;
	});
}
