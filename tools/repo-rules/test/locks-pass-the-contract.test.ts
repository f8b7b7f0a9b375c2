import { expect, it } from 'vitest';
import { locksPassTheContract } from '../src/rules/locks-pass-the-contract.ts';
import { madeUpTree } from './made-up-tree.ts';

const LOCK = 'apps/gateway/src/distributed-lock.ts';
const CONTRACT_TEST = 'apps/gateway/test/distributed-lock.contract.test.ts';
const IMPORTS = "import { createLock } from '../src/distributed-lock.ts';\n";
const CALL = `${IMPORTS}describeLockContract('gateway', {\n\tdirectories: { lock: here, others: here },\n\tlock,\n}, `;

it.each([
	{ name: 'an app without a lock', files: { 'apps/gateway/src/main.ts': '' }, want: [] },
	{
		name: 'a lock that runs the contract',
		files: { [LOCK]: '', [CONTRACT_TEST]: `${IMPORTS}describeLockContract({ createLock });` },
		want: [],
	},
	{ name: 'a lock without a contract test', files: { [LOCK]: '' }, want: ['is missing'] },
	{ name: 'a contract that is never called', files: { [LOCK]: '', [CONTRACT_TEST]: IMPORTS }, want: ['does not call'] },
	{
		name: 'a contract that is commented out',
		files: { [LOCK]: '', [CONTRACT_TEST]: `${IMPORTS}// describeLockContract({ createLock });` },
		want: ['does not call'],
	},
	{
		name: 'a contract in a block comment',
		files: { [LOCK]: '', [CONTRACT_TEST]: `${IMPORTS}/*\ndescribeLockContract('gateway', { lock });\n*/` },
		want: ['does not call'],
	},
	{
		name: 'a contract in a text',
		files: {
			[LOCK]: '',
			[CONTRACT_TEST]: `${IMPORTS}const advice = \`\ndescribeLockContract('gateway', { lock });\n\`;`,
		},
		want: ['does not call'],
	},
	{
		name: 'a contract on a condition',
		files: {
			[LOCK]: '',
			[CONTRACT_TEST]: `${IMPORTS}if (process.env['CI']) {\n\tdescribeLockContract('gateway', { lock });\n}`,
		},
		want: ['does not call'],
	},
	{
		name: 'a rule that is waived for a reason',
		files: { [LOCK]: '', [CONTRACT_TEST]: `${CALL}{\n\tL7: 'there is no lease that could be swept',\n});` },
		want: [],
	},
	{
		name: 'rules that are waived without a reason',
		files: {
			[LOCK]: '',
			[CONTRACT_TEST]: `${CALL}{\n\tL7: '',\n\tL8: "later",\n\tL9: 'there is no lease to be swept',\n});`,
		},
		want: ['waives L7 without', 'waives L8 without'],
	},
	{
		name: 'waivers that are computed, where a reader cannot see them',
		files: { [LOCK]: '', [CONTRACT_TEST]: `${CALL}waivers);` },
		want: ['write the waivers'],
	},
	{
		name: 'waivers that are spread from somewhere',
		files: { [LOCK]: '', [CONTRACT_TEST]: `${CALL}{ ...ALL });` },
		want: ['write the waivers'],
	},
	{
		name: "a contract of another app's lock",
		files: {
			[LOCK]: '',
			[CONTRACT_TEST]:
				"import { createLock } from '../../notification/src/distributed-lock.ts';\ndescribeLockContract({});",
		},
		want: ['does not import ../src/distributed-lock.ts'],
	},
])('$name', ({ files, want }) => {
	const violations = locksPassTheContract(madeUpTree(files));
	expect(violations).toHaveLength(want.length);
	want.forEach((words, index) =>
		expect(violations[index]).toMatchObject({ where: CONTRACT_TEST, what: expect.stringContaining(words) }),
	);
});
