import { describe, expect, it } from 'vitest';
import { FINGERPRINT, SIGNAL } from '../../test/fixtures/sample-signal.ts';
import { ModelKube } from '../../test/simulation/model-kube.ts';
import { finishedChain, linkOf, type Request } from '../../test/simulation/store-model.ts';
import { linkName, newestOf, type RequestLink } from '../objects/request-link.ts';
import { createRequestStore } from '../objects/request-store.ts';
import { type ChainStore, joinOrCreate } from './request-chain.ts';

class ChainFixture {
	readonly kube = new ModelKube(FINGERPRINT);
	readonly #requests = createRequestStore(this.kube, 'ns');
	readonly store: ChainStore = {
		...this.#requests,
		create: (link) => this.#requests.create(SIGNAL, { target: SIGNAL.target, source: 'Named' }, link, 1n),
		setSuccessor: (link, successor) => this.#requests.setSuccessor(link, successor, { lease: 'l', token: 1n }),
	};

	constructor(finishedLinks = 0) {
		this.kube.store = finishedChain(finishedLinks, (uid) => linkName(FINGERPRINT, uid));
	}

	/** What a cache that is up to date would say. */
	async view(): Promise<RequestLink | undefined> {
		const view = newestOf(await this.store.list(FINGERPRINT));
		this.kube.requests.length = 0;
		return view;
	}

	join(view: RequestLink | undefined, beforeWrite?: () => void) {
		return joinOrCreate(this.store, FINGERPRINT, view, beforeWrite);
	}

	/** Another replica is quicker, once, just before such a request is served. */
	meanwhile(verb: Request['verb'], happens: () => void): void {
		let happened = false;
		this.kube.beforeEach = (request) => {
			if (request.verb === verb && !happened) {
				happened = true;
				happens();
			}
			return 'answered';
		};
	}

	get links() {
		return this.kube.store.links;
	}
}

const end = (fixture: ChainFixture, name: string) =>
	fixture.kube.serve({ verb: 'patch', name, status: { terminal: true } });

describe('a chain with nothing active', () => {
	it('the first link of a chain needs one write', async () => {
		const fixture = new ChainFixture();
		const { outcome, link } = await fixture.join(undefined);
		expect(outcome).toBe('created');
		expect(link).toMatchObject({ name: linkName(FINGERPRINT, undefined), chain: 0 });
		expect(fixture.kube.verbs).toEqual(['create']);
	});

	it('the next link is announced on its predecessor, then created', async () => {
		const fixture = new ChainFixture(2);
		const view = await fixture.view();
		const { outcome, link } = await fixture.join(view);
		expect(outcome).toBe('created');
		expect(link).toMatchObject({ name: linkName(FINGERPRINT, view?.uid), chain: 2 });
		expect(fixture.links.map(({ successor }) => successor)).toEqual([fixture.links[1]?.name, link.name, undefined]);
		expect(fixture.kube.verbs).toEqual(['patch', 'create']);
	});

	it('a successor that is announced already is not written again', async () => {
		const fixture = new ChainFixture(1);
		const [first] = fixture.links;
		const successor = linkName(FINGERPRINT, first?.uid);
		fixture.kube.serve({ verb: 'patch', name: first!.name, status: { successor } });
		await fixture.join(await fixture.view());
		expect(fixture.kube.verbs).toEqual(['create']);
	});

	it('a successor that was announced under another name is created under that name', async () => {
		const fixture = new ChainFixture(1);
		const announced = 'rr-c0ffee000000-ffffffffffffffff';
		const stale = await fixture.view();
		fixture.kube.serve({ verb: 'patch', name: fixture.links[0]!.name, status: { successor: announced } });
		const { link } = await fixture.join(stale);
		expect(link).toMatchObject({ name: announced, chain: 1 });
	});

	it('a link that is being deleted is followed by the next link', async () => {
		const fixture = new ChainFixture();
		await fixture.join(undefined);
		fixture.kube.serve({ verb: 'delete', name: fixture.links[0]!.name, foreground: true });
		const { outcome, link } = await fixture.join(await fixture.view());
		expect([outcome, link.chain]).toEqual(['created', 1]);
	});
});

describe('a chain with an active link', () => {
	it('a view that knows the active link joins it without a call', async () => {
		const fixture = new ChainFixture();
		await fixture.join(undefined);
		const { outcome } = await fixture.join(await fixture.view());
		expect(outcome).toBe('joined');
		expect(fixture.kube.requests).toEqual([]);
	});

	it.each([{ known: 0 }, { known: 1 }, { known: 2 }, { known: 3 }])(
		'a view of $known links of a longer chain walks forward and joins the active link',
		async ({ known }) => {
			const fixture = new ChainFixture(known);
			const view = await fixture.view();
			fixture.kube.store = finishedChain(4, (uid) => linkName(FINGERPRINT, uid));
			const made = await fixture.join(await fixture.view());
			const { outcome, link } = await fixture.join(view);
			expect([outcome, link.uid]).toEqual(['joined', made.link.uid]);
			expect(fixture.links).toHaveLength(5);
		},
	);

	it('a view of a link that retention has removed finds the active link by a list', async () => {
		const fixture = new ChainFixture(1);
		const view = await fixture.view();
		const made = await fixture.join(view);
		fixture.kube.serve({ verb: 'delete', name: view!.name });
		fixture.kube.requests.length = 0;
		const { outcome, link } = await fixture.join(view);
		expect([outcome, link.uid]).toEqual(['joined', made.link.uid]);
		expect(fixture.kube.verbs).toEqual(['patch', 'list']);
	});
});

describe('another replica is quicker', () => {
	it('a link that another replica created first is joined', async () => {
		const fixture = new ChainFixture();
		const name = linkName(FINGERPRINT, undefined);
		fixture.meanwhile('create', () => fixture.kube.serve({ verb: 'create', name, chain: 0, token: '2' }));
		expect((await fixture.join(undefined)).outcome).toBe('joined');
		expect(fixture.kube.verbs).toEqual(['create', 'get']);
	});

	it('a link that another replica created first and that has ended is followed by the next link', async () => {
		const fixture = new ChainFixture();
		const name = linkName(FINGERPRINT, undefined);
		fixture.meanwhile('create', () => {
			fixture.kube.serve({ verb: 'create', name, chain: 0, token: '2' });
			end(fixture, name);
		});
		const { outcome, link } = await fixture.join(undefined);
		expect([outcome, link.chain]).toEqual(['created', 1]);
	});

	it('after a link that exists on create and is gone on get, the chain is listed', async () => {
		const fixture = new ChainFixture();
		const name = linkName(FINGERPRINT, undefined);
		fixture.kube.serve({ verb: 'create', name, chain: 0, token: '2' });
		fixture.meanwhile('get', () => fixture.kube.serve({ verb: 'delete', name }));
		const { outcome } = await fixture.join(undefined);
		expect(outcome).toBe('created');
		expect(fixture.kube.verbs).toEqual(['create', 'get', 'list', 'create']);
	});

	it('a successor that another replica announced first is read, not written again', async () => {
		const fixture = new ChainFixture(1);
		const view = await fixture.view();
		fixture.meanwhile('patch', () =>
			fixture.kube.serve({ verb: 'patch', name: view!.name, status: { successor: linkName(FINGERPRINT, view?.uid) } }),
		);
		const { outcome } = await fixture.join(view);
		expect(outcome).toBe('created');
		expect(fixture.kube.verbs).toEqual(['patch', 'get', 'create']);
	});

	it('a chain whose links are all removed begins again', async () => {
		const fixture = new ChainFixture(1);
		const view = await fixture.view();
		fixture.kube.serve({ verb: 'delete', name: view!.name });
		const { outcome, link } = await fixture.join(view);
		expect([outcome, link.chain, link.uid === view?.uid]).toEqual(['created', 0, false]);
	});

	it('a chain that never settles is given up after 50 steps', async () => {
		const fixture = new ChainFixture();
		fixture.kube.beforeEach = (request) => {
			if (request.verb === 'create') {
				fixture.kube.serve(request);
				end(fixture, request.name);
			}
			return 'answered';
		};
		await expect(fixture.join(undefined)).rejects.toThrow('did not settle within 50 steps');
	});
});

describe('a holder that lost its lock', () => {
	it.each([
		{ writes: 0, wantSuccessor: false },
		{ writes: 1, wantSuccessor: true },
	])(
		'a holder that lost its lock after $writes writes does not do the next write',
		async ({ writes, wantSuccessor }) => {
			const fixture = new ChainFixture(1);
			let asked = 0;
			const joining = fixture.join(await fixture.view(), () => {
				if (asked++ === writes) throw new Error('lost');
			});
			await expect(joining).rejects.toThrow('lost');
			expect(fixture.links).toHaveLength(1);
			expect(linkOf(fixture.kube.store, fixture.links[0]!.name)?.successor !== undefined).toBe(wantSuccessor);
		},
	);
});
