// The bare API calls that any gateway of this design must make, with nothing of ours around them: raw HTTP over
// kept-alive connections, bodies ready, answers read but not looked at.
import { randomBytes } from 'node:crypto';
import { Pool } from 'undici';
import { alertAbout, fingerprintOf, firstRequestName, requestFor, requestsPath } from '../signal-request.ts';
import type { Identity } from './identity.ts';

export class ApiFloor {
	readonly #pool: Pool;
	readonly #headers: Readonly<Record<string, string>>;
	readonly #namespace: string;
	readonly #leases: string;

	constructor({ server, ca, token }: Identity, namespace: string, connections: number) {
		this.#pool = new Pool(server, { connections, allowH2: false, connect: { ca } });
		this.#headers = {
			authorization: `Bearer ${token}`,
			accept: 'application/json',
			'content-type': 'application/json',
			'user-agent': 'bench-floor',
		};
		this.#namespace = namespace;
		this.#leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
	}

	/** Lease create, then RemediationRequest create; `ms` of the two. The caller removes the Lease. */
	async lockAndCreate(deployment: string): Promise<{ ms: number; lease: string }> {
		const alert = alertAbout(deployment);
		const fingerprint = fingerprintOf(alert);
		const lease = `gw-lock-${fingerprint.slice(0, 32)}`;
		const startedAt = performance.now();
		await this.#ask('POST', this.#leases, leaseBody(lease, this.#namespace, fingerprint));
		await this.#ask('POST', requestsPath(this.#namespace), requestFor(alert, firstRequestName(fingerprint)));
		return { ms: performance.now() - startedAt, lease };
	}

	/**
	 * The ten calls of three replicas on one new incident, as soon as each can be made: each tries to lock, two find it
	 * taken and look who has it, one creates, each counts what came to it, and the lock is removed.
	 */
	async storm(deployment: string): Promise<void> {
		const alert = alertAbout(deployment);
		const fingerprint = fingerprintOf(alert);
		const lease = `gw-lock-${fingerprint.slice(0, 32)}`;
		const request = firstRequestName(fingerprint);
		const lock = () => this.#ask('POST', this.#leases, leaseBody(lease, this.#namespace, fingerprint));
		const count = (replica: number) =>
			this.#ask(
				'PATCH',
				`${requestsPath(this.#namespace)}/${request}/status`,
				[{ op: 'add', path: `/status/deduplication/slots/floor-${replica}`, value: 33 }],
				'application/json-patch+json',
			);
		const lookWhoHasIt = async () => {
			await lock();
			await this.#ask('GET', `${this.#leases}/${lease}`);
		};
		const create = async () => {
			await lock();
			await this.#ask('POST', requestsPath(this.#namespace), requestFor(alert, request));
		};
		await Promise.all([create(), lookWhoHasIt(), lookWhoHasIt()]);
		await Promise.all([this.removeLease(lease), count(0), count(1), count(2)]);
	}

	removeLease(name: string): Promise<void> {
		return this.#ask('DELETE', `${this.#leases}/${name}`);
	}

	close(): Promise<void> {
		return this.#pool.destroy();
	}

	/** A lock that is taken already is an answer like another. */
	async #ask(
		method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
		path: string,
		body?: unknown,
		contentType = 'application/json',
	): Promise<void> {
		const sent = body === undefined ? {} : { body: JSON.stringify(body) };
		const headers = { ...this.#headers, 'content-type': contentType };
		const answer = await this.#pool.request({ method, path, headers, ...sent });
		const text = await answer.body.text();
		if (answer.statusCode >= 300 && answer.statusCode !== 409)
			throw new Error(`the floor's ${method} ${path}: ${answer.statusCode} ${text}`);
	}
}

function leaseBody(name: string, namespace: string, key: string) {
	const now = new Date().toISOString().replace('Z', '000Z');
	return {
		apiVersion: 'coordination.k8s.io/v1',
		kind: 'Lease',
		metadata: {
			name,
			namespace,
			labels: { 'kubernaut.ai/lock': 'floor' },
			annotations: { 'kubernaut.ai/lock-key': key },
		},
		spec: {
			holderIdentity: `floor/${randomBytes(8).toString('hex')}`,
			leaseDurationSeconds: 30,
			leaseTransitions: 0,
			acquireTime: now,
			renewTime: now,
		},
	};
}
