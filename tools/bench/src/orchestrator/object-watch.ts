// Sees objects appear, as early as the API server sends them: for the clock of a measurement, and for the floor, which acts
// on nothing but this.
import { Client, errors } from 'undici';
import type { Identity } from '../gateway/identity.ts';

export type SeenObject = {
	readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
	readonly [key: string]: unknown;
};

export type SeenChange = { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: SeenObject };

/** `onAdded` is called for each object that is created from now on. */
export function watchAdded(
	identity: Identity,
	path: string,
	onAdded: (object: SeenObject) => void,
): Promise<{ stop(): Promise<void> }> {
	return watchChanges(identity, path, ({ type, object }) => {
		if (type === 'ADDED') onAdded(object);
	});
}

/** `onChange` is called for each change from now on, in the order in which they were stored. */
export async function watchChanges(
	{ server, ca, token }: Identity,
	path: string,
	onChange: (change: SeenChange) => void,
): Promise<{ stop(): Promise<void> }> {
	const client = new Client(server, { allowH2: false, connect: { ca }, bodyTimeout: 0 });
	const headers = { authorization: `Bearer ${token}`, accept: 'application/json', 'user-agent': 'bench-floor' };
	const list = await client.request({ method: 'GET', path: `${path}?limit=1`, headers });
	const { metadata } = (await list.body.json()) as { metadata: { resourceVersion: string } };
	const stopping = new AbortController();
	let { resourceVersion } = metadata;
	const open = () =>
		client.request({
			method: 'GET',
			path: `${path}?watch=1&resourceVersion=${resourceVersion}`,
			headers,
			signal: stopping.signal,
		});
	const read = async ({ body }: Awaited<ReturnType<typeof open>>) => {
		let rest = '';
		for await (const chunk of body) {
			const lines = `${rest}${(chunk as Buffer).toString()}`.split('\n');
			rest = lines.pop() ?? '';
			for (const line of lines) {
				const change = JSON.parse(line) as SeenChange | { type: 'ERROR' };
				if (change.type === 'ERROR') throw new Error(`the watch of ${path} has a gap: ${line}`);
				onChange(change);
				({ resourceVersion } = change.object.metadata);
			}
		}
	};
	const first = await open();
	/** The API server closes a watch that is too slow for it, also in the middle of a line: then on from the last change. */
	const readToItsEnd = (answer: Awaited<ReturnType<typeof open>>) =>
		read(answer).catch((error: unknown) => {
			if (!(error instanceof errors.SocketError)) throw error;
		});
	const reading = (async () => {
		await readToItsEnd(first);
		for (;;) await readToItsEnd(await open());
	})().catch((error: unknown) => {
		if (!stopping.signal.aborted) throw error;
	});
	return {
		async stop() {
			stopping.abort();
			await reading;
			await client.destroy();
		},
	};
}
