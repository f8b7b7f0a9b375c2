import { expect, it } from 'vitest';
import { locksSitTheContract } from '../src/rules/locks-sit-the-contract.ts';
import { madeUpTree } from './made-up-tree.ts';

const LOCK = 'apps/gateway/src/distributed-lock.ts';
const EXAM = 'apps/gateway/test/distributed-lock.contract.test.ts';
const IMPORTS = "import { createLock } from '../src/distributed-lock.ts';\n";
const CALL = `${IMPORTS}describeLockContract('gateway', {\n\tdirectories: { lock: here, others: here },\n\tlock,\n}, `;

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
		name: 'an exam in a block comment',
		files: { [LOCK]: '', [EXAM]: `${IMPORTS}/*\ndescribeLockContract('gateway', { lock });\n*/` },
		want: ['does not call'],
	},
	{
		name: 'an exam in a text',
		files: { [LOCK]: '', [EXAM]: `${IMPORTS}const advice = \`\ndescribeLockContract('gateway', { lock });\n\`;` },
		want: ['does not call'],
	},
	{
		name: 'an exam on a condition',
		files: {
			[LOCK]: '',
			[EXAM]: `${IMPORTS}if (process.env['CI']) {\n\tdescribeLockContract('gateway', { lock });\n}`,
		},
		want: ['does not call'],
	},
	{
		name: 'a rule that is waived for a reason',
		files: { [LOCK]: '', [EXAM]: `${CALL}{\n\tL7: 'there is no lease that could be swept',\n});` },
		want: [],
	},
	{
		name: 'rules that are waived without a reason',
		files: { [LOCK]: '', [EXAM]: `${CALL}{\n\tL7: '',\n\tL8: "later",\n\tL9: 'there is no lease to be swept',\n});` },
		want: ['waives L7 without', 'waives L8 without'],
	},
	{
		name: 'waivers that are computed, where nobody can read them',
		files: { [LOCK]: '', [EXAM]: `${CALL}waivers);` },
		want: ['write the waivers'],
	},
	{
		name: 'waivers that are spread from somewhere',
		files: { [LOCK]: '', [EXAM]: `${CALL}{ ...ALL });` },
		want: ['write the waivers'],
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
