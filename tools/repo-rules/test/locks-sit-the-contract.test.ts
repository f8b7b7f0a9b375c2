import { expect, it } from 'vitest';
import { locksSitTheContract } from '../src/rules/locks-sit-the-contract.ts';
import { madeUpTree } from './made-up-tree.ts';

const LOCK = 'apps/gateway/src/distributed-lock.ts';
const EXAM = 'apps/gateway/test/distributed-lock.contract.test.ts';
const IMPORTS = "import { createLock } from '../src/distributed-lock.ts';\n";

it.each([
	{ name: 'an app without a lock', files: { 'apps/gateway/src/main.ts': '' }, want: [] },
	{
		name: 'a lock that sits the exam',
		files: { [LOCK]: '', [EXAM]: `${IMPORTS}describeLockContract({ createLock });` },
		want: [],
	},
	{ name: 'a lock without an exam', files: { [LOCK]: '' }, want: ['is missing'] },
	{ name: 'an exam that is never called', files: { [LOCK]: '', [EXAM]: IMPORTS }, want: ['does not call'] },
	{
		name: 'an exam that is commented out',
		files: { [LOCK]: '', [EXAM]: `${IMPORTS}// describeLockContract({ createLock });` },
		want: ['does not call'],
	},
	{
		name: "an exam of somebody else's lock",
		files: {
			[LOCK]: '',
			[EXAM]: "import { createLock } from '../../notification/src/distributed-lock.ts';\ndescribeLockContract({});",
		},
		want: ['does not import ../src/distributed-lock.ts'],
	},
])('$name', ({ files, want }) => {
	const violations = locksSitTheContract(madeUpTree(files));
	expect(violations).toHaveLength(want.length);
	want.forEach((words, index) =>
		expect(violations[index]).toMatchObject({ where: EXAM, what: expect.stringContaining(words) }),
	);
});
