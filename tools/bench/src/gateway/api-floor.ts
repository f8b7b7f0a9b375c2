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

	removeLease(name: string): Promise<void> {
		return this.#ask('DELETE', `${this.#leases}/${name}`);
	}

	close(): Promise<void> {
		return this.#pool.destroy();
	}

	async #ask(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<void> {
		const sent = body === undefined ? {} : { body: JSON.stringify(body) };
		const answer = await this.#pool.request({ method, path, headers: this.#headers, ...sent });
		const text = await answer.body.text();
		if (answer.statusCode >= 300) throw new Error(`the floor's ${method} ${path}: ${answer.statusCode} ${text}`);
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
