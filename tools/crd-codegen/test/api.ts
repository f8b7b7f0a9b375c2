// The API server as the tables see it: create, change and list custom resources, and keep every refusal.
import { adminApi, applyCrds, createNamespace } from '@kubernaut/testkit';
import type { Crd } from '../src/crd.ts';
import type { CustomResource, Patch } from './cases/case.ts';

export interface Cause {
	field: string;
	message: string;
}

export interface Answer {
	code: number;
	/** What `kubectl` would print. */
	message: string;
	causes: Cause[];
	// The server's objects are open; tests read what they know is there.
	body: any;
}

export interface Resources {
	create(object: CustomResource): Promise<Answer>;
	get(name: string): Promise<Answer>;
	patch(name: string, patch: Patch): Promise<Answer>;
	patchStatus(name: string, patch: Patch): Promise<Answer>;
	replaceStatus(object: CustomResource): Promise<Answer>;
	/** These two are judged like the real ones, and nothing is stored. */
	tryCreate(object: object): Promise<Answer>;
	tryReplaceStatus(name: string, object: object): Promise<Answer>;
	list(query: Record<string, string>): Promise<Answer>;
	table(name: string): Promise<Answer>;
}

const MERGE_PATCH = 'application/merge-patch+json';
const DRY_RUN = 'dryRun=All';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

/** Applies the CRDs and answers with access to each kind in a namespace of this test file. */
export async function connect(): Promise<(crd: Crd) => Resources> {
	const api = adminApi('crd-codegen-tests');
	await applyCrds(api);
	const namespace = await createNamespace(api, 'crds');

	async function send(method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: unknown, accept?: string) {
		const { status: code, body: answer } = await api.send(method, path, {
			...(body === undefined ? {} : { body }),
			...(method === 'PATCH' ? { contentType: MERGE_PATCH } : {}),
			...(accept === undefined ? {} : { accept }),
		});
		return {
			code,
			message: String(answer['message'] ?? ''),
			causes: (answer['details']?.causes ?? []) as Cause[],
			body: answer,
		};
	}

	return ({ group, version, plural }) => {
		const base = `/apis/${group}/${version}/namespaces/${namespace}/${plural}`;
		return {
			create: (object) => send('POST', base, object),
			get: (name) => send('GET', `${base}/${name}`),
			patch: (name, patch) => send('PATCH', `${base}/${name}`, patch),
			patchStatus: (name, patch) => send('PATCH', `${base}/${name}/status`, patch),
			replaceStatus: (object) => send('PUT', `${base}/${object.metadata.name}/status`, object),
			tryCreate: (object) => send('POST', `${base}?${DRY_RUN}`, object),
			tryReplaceStatus: (name, object) => send('PUT', `${base}/${name}/status?${DRY_RUN}`, object),
			list: (query) => send('GET', `${base}?${new URLSearchParams(query).toString()}`),
			table: (name) => send('GET', `${base}/${name}?includeObject=None`, undefined, TABLE),
		};
	};
}
