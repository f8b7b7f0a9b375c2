import { expect, it } from 'vitest';
import { locksPassTheContract } from '../src/rules/locks-pass-the-contract.ts';
import { madeUpTree } from './made-up-tree.ts';

const LOCK = 'apps/gateway/src/distributed-lock.ts';
const CONTRACT = 'apps/gateway/test/distributed-lock.contract.test.ts';
const IMPORTS = "import { createLock } from '../src/distributed-lock.ts';\n";
const CALL = `${IMPORTS}describeLeaseContract('gateway', {\n\tdirectories: { lock: here, others: here },\n\tlock,\n}, `;

it.each([
	{ name: 'an app without a lock', files: { 'apps/gateway/src/main.ts': '' }, want: [] },
	{
		name: 'a lock that passes the contract',
		files: { [LOCK]: '', [CONTRACT]: `${IMPORTS}describeLeaseContract({ createLock });` },
		want: [],
	},
	{
		name: 'a lock that is not a Lease, and waives what it lacks',
		files: {
			[LOCK]: '',
			[CONTRACT]: `${IMPORTS}describeLockContract('executor', port, {\n\twithLock: 'reconciles come again instead of waiting',\n});`,
		},
		want: [],
	},
	{
		name: 'a capability that is waived without a reason',
		files: { [LOCK]: '', [CONTRACT]: `${IMPORTS}describeLockContract('executor', port, { metrics: 'later' });` },
		want: ['waives metrics without'],
	},
	{ name: 'a lock without a contract test', files: { [LOCK]: '' }, want: ['is missing'] },
	{ name: 'a suite that is never called', files: { [LOCK]: '', [CONTRACT]: IMPORTS }, want: ['does not call'] },
	{
		name: 'a suite that is commented out',
		files: { [LOCK]: '', [CONTRACT]: `${IMPORTS}// describeLeaseContract({ createLock });` },
		want: ['does not call'],
	},
	{
		name: 'a suite in a block comment',
		files: { [LOCK]: '', [CONTRACT]: `${IMPORTS}/*\ndescribeLeaseContract('gateway', { lock });\n*/` },
		want: ['does not call'],
	},
	{
		name: 'a suite in a text',
		files: { [LOCK]: '', [CONTRACT]: `${IMPORTS}const advice = \`\ndescribeLeaseContract('gateway', { lock });\n\`;` },
		want: ['does not call'],
	},
	{
		name: 'a suite on a condition',
		files: {
			[LOCK]: '',
			[CONTRACT]: `${IMPORTS}if (process.env['CI']) {\n\tdescribeLeaseContract('gateway', { lock });\n}`,
		},
		want: ['does not call'],
	},
	{
		name: 'a rule that is waived for a reason',
		files: { [LOCK]: '', [CONTRACT]: `${CALL}{\n\tL7: 'there is no lease that could be swept',\n});` },
		want: [],
	},
	{
		name: 'rules that are waived without a reason',
		files: {
			[LOCK]: '',
			[CONTRACT]: `${CALL}{\n\tL7: '',\n\tL8: "later",\n\tL9: 'there is no lease to be swept',\n});`,
		},
		want: ['waives L7 without', 'waives L8 without'],
	},
	{
		name: 'waivers that are computed, where no reader sees them',
		files: { [LOCK]: '', [CONTRACT]: `${CALL}waivers);` },
		want: ['write the waivers'],
	},
	{
		name: 'computed waivers of a lock that is not a Lease',
		files: { [LOCK]: '', [CONTRACT]: `${IMPORTS}describeLockContract('executor', port, waivers);` },
		want: ['write the waivers'],
	},
	{
		name: 'waivers that are spread from somewhere',
		files: { [LOCK]: '', [CONTRACT]: `${CALL}{ ...ALL });` },
		want: ['write the waivers'],
	},
	{
		name: "a suite on another app's lock",
		files: {
			[LOCK]: '',
			[CONTRACT]:
				"import { createLock } from '../../notification/src/distributed-lock.ts';\ndescribeLeaseContract({});",
		},
		want: ['does not import ../src/distributed-lock.ts'],
	},
])('$name', ({ files, want }) => {
	const violations = locksPassTheContract(madeUpTree(files));
	expect(violations).toHaveLength(want.length);
	want.forEach((words, index) =>
		expect(violations[index]).toMatchObject({ where: CONTRACT, what: expect.stringContaining(words) }),
	);
});
