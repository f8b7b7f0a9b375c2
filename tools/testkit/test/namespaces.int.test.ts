import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { adminApi, auditLog, createNamespace, scratchDirectory } from '../src/testkit.ts';

const PACKAGE = join(import.meta.dirname, '..');
const VITEST = join(PACKAGE, 'node_modules', 'vitest', 'vitest.mjs');

const api = adminApi('testkit/namespaces');
const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
const lease = { metadata: { name: 'same-name' } };

describe('while a test file runs, its namespaces', () => {
	let one: string;
	let two: string;
	beforeAll(async () => {
		[one, two] = await Promise.all([createNamespace(api, 'same'), createNamespace(api, 'same')]);
	});

	it('differ although they were asked for in the same words', () => {
		expect(one).not.toBe(two);
		expect(one).toMatch(/^same-/);
	});

	it('hold their own objects: the same name in both, seen in one place each', async () => {
		for (const namespace of [one, two]) await api.call('POST', leases(namespace), { body: lease });
		await api.call('DELETE', `${leases(one)}/same-name`);
		expect((await api.call('GET', leases(one)))['items']).toEqual([]);
		expect((await api.call('GET', leases(two)))['items']).toMatchObject([{ metadata: { namespace: two } }]);
	});
});

it('when a test file has ended, its namespace is gone, or going and closed to anything new', async () => {
	const scratch = await scratchDirectory();
	const shared = join(scratch, 'control-plane.json');
	writeFileSync(shared, JSON.stringify(inject('controlPlane')));
	const output = join(scratch, 'namespace');
	const env = { ...process.env, KUBERNAUT_SHARED_CONTROL_PLANE: shared, FIXTURE_OUTPUT: output };
	const args = [VITEST, 'run', '--config', 'test/fixture/vitest.config.ts'];
	const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: PACKAGE, env, encoding: 'utf8' });
	expect(status, stdout + stderr).toBe(0);

	const namespace = readFileSync(output, 'utf8');
	const answer = await api.send('GET', `/api/v1/namespaces/${namespace}`);
	expect(answer.status === 404 ? 'gone' : answer.body['status'].phase).toBeOneOf(['gone', 'Terminating']);
	const late = await api.send('POST', leases(namespace), { body: { metadata: { name: 'late' } } });
	expect(late.status).toBeOneOf([403, 404]);
});

it('the control plane has our kinds', async () => {
	const { resources } = await api.call('GET', '/apis/kubernaut.ai/v1alpha1');
	const kinds = (resources as { kind: string }[]).map(({ kind }) => kind);
	expect(kinds).toEqual(expect.arrayContaining(['RemediationRequest', 'WorkflowExecution', 'NotificationRequest']));
});

it('calls are counted, where the server keeps a log that we can read', async () => {
	const log = auditLog();
	const mark = log?.mark();
	await api.call('GET', '/version');
	const counts = log?.counts(mark, { userAgent: 'testkit/namespaces' });
	expect(Object.fromEntries(counts ?? [['testkit/namespaces get /version', 1]])).toEqual({
		'testkit/namespaces get /version': 1,
	});
});
