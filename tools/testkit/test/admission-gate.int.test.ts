import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AdmissionGate, adminApi, createNamespace, startAdmissionGate } from '../src/testkit.ts';

const LEASES = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' };

const api = adminApi();
let namespace: string;
let gate: AdmissionGate;
beforeAll(async () => {
	namespace = await createNamespace(api, 'gate');
	gate = await startAdmissionGate(api, namespace, LEASES);
});
afterAll(() => gate.close());

const path = (where: string) => `/apis/coordination.k8s.io/v1/namespaces/${where}/leases`;
const create = (name: string, where = namespace) => api.send('POST', path(where), { body: { metadata: { name } } });
const status = async (name: string) => (await api.send('GET', `${path(namespace)}/${name}`)).status;
const named = (name: string) => (object: { [key: string]: any }) => object['metadata'].name === name;

it('holds the create that it was asked to hold: nothing is stored until it is allowed', async () => {
	const holding = gate.hold(named('held'));
	const created = create('held');
	const held = await holding;
	expect(held.object['metadata'].name).toBe('held');
	expect(await status('held')).toBe(404);
	expect(await create('another')).toMatchObject({ status: 201 });
	held.allow();
	expect(await created).toMatchObject({ status: 201 });
	expect(await status('held')).toBe(200);
});

it('holds once: the next of the same name passes', async () => {
	const holding = gate.hold(named('once'));
	const created = create('once');
	(await holding).allow();
	expect(await created).toMatchObject({ status: 201 });
	await api.call('DELETE', `${path(namespace)}/once`);
	expect(await create('once')).toMatchObject({ status: 201 });
});

it('denies: the client is refused, and nothing is stored', async () => {
	const holding = gate.hold(named('denied'));
	const created = create('denied');
	(await holding).deny();
	expect(await created).toMatchObject({ status: 400, body: { message: expect.stringContaining('gate.kubernaut.ai') } });
	expect(await status('denied')).toBe(404);
});

it('does not look into other namespaces', async () => {
	const other = await createNamespace(api, 'no-gate');
	let asked = false;
	void gate.hold((object) => {
		asked ||= object['metadata'].namespace === other;
		return false;
	});
	expect(await create('elsewhere', other)).toMatchObject({ status: 201 });
	expect(asked).toBe(false);
});

it('that is closed lets everything pass', async () => {
	const second = await startAdmissionGate(api, namespace, LEASES);
	void second.hold(named('after'));
	await second.close();
	expect(await create('after')).toMatchObject({ status: 201 });
});
