// Counts what clients asked of the API server, from its own audit log: the truth about the cost of a design.
import { closeSync, fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';

export type ApiCall = {
	userAgent: string;
	user: string;
	verb: string;
	resource: string;
	namespace: string;
	name: string;
	code: number;
};
export type CallFilter = { userAgent?: string; verb?: string; resource?: string; namespace?: string };

const FILE = 'audit.jsonl';
const CHUNK_BYTES = 65_536;

/** Flags that make an API server write one line per answered call. */
export function auditFlags(directory: string): string[] {
	const policy = join(directory, 'audit-policy.yaml');
	writeFileSync(
		policy,
		stringify({
			apiVersion: 'audit.k8s.io/v1',
			kind: 'Policy',
			// A watch is counted when it starts; it may never complete. Everything else when it is done.
			omitStages: ['RequestReceived'],
			rules: [{ level: 'Metadata' }],
		}),
	);
	return [`--audit-policy-file=${policy}`, `--audit-log-path=${join(directory, FILE)}`, '--audit-log-maxsize=0'];
}

export class AuditLog {
	readonly directory: string;
	readonly path: string;
	constructor(directory: string) {
		this.directory = directory;
		this.path = join(directory, FILE);
	}

	/** A place in the log (in bytes), to count from there: what was answered before is before it. */
	mark(): number {
		return this.#read((file) => endOfWholeLines(file), 0);
	}

	calls(since = 0, filter: CallFilter = {}): ApiCall[] {
		return this.#read((file) => wholeLines(file, since), '')
			.split('\n')
			.filter((line) => line !== '')
			.flatMap(parseCall)
			.filter((call) => Object.entries(filter).every(([key, want]) => call[key as keyof CallFilter] === want));
	}

	/** "user agent, verb, resource" → number of calls. */
	counts(since = 0, filter: CallFilter = {}): Map<string, number> {
		const counts = new Map<string, number>();
		for (const { userAgent, verb, resource } of this.calls(since, filter)) {
			const key = `${userAgent} ${verb} ${resource}`;
			counts.set(key, (counts.get(key) ?? 0) + 1);
		}
		return counts;
	}

	#read<T>(read: (file: number) => T, empty: T): T {
		let file: number;
		try {
			file = openSync(this.path, 'r');
		} catch (error) {
			if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return empty; // nothing was asked yet
			throw error;
		}
		try {
			return read(file);
		} finally {
			closeSync(file);
		}
	}
}

/** The API server may be in the middle of a line. Looked for from the end: a log of a long run has millions of them. */
function endOfWholeLines(file: number): number {
	const chunk = Buffer.alloc(CHUNK_BYTES);
	let end = fstatSync(file).size;
	while (end > 0) {
		const start = Math.max(0, end - CHUNK_BYTES);
		const newline = chunk.subarray(0, readSync(file, chunk, 0, end - start, start)).lastIndexOf('\n');
		if (newline !== -1) return start + newline + 1;
		end = start;
	}
	return 0;
}

function wholeLines(file: number, since: number): string {
	const end = endOfWholeLines(file);
	if (since > end) throw new Error('the audit log is shorter than it was at the mark: it was begun anew');
	const text = Buffer.alloc(end - since);
	return text.toString('utf8', 0, readSync(file, text, 0, text.length, since));
}

function parseCall(line: string): ApiCall[] {
	const event = JSON.parse(line) as {
		stage: string;
		verb: string;
		userAgent?: string;
		user?: { username?: string };
		requestURI: string;
		objectRef?: { resource?: string; subresource?: string; namespace?: string; name?: string };
		responseStatus?: { code?: number };
	};
	const counted = event.verb === 'watch' ? event.stage === 'ResponseStarted' : event.stage === 'ResponseComplete';
	if (!counted) return [];
	const ref = event.objectRef ?? {};
	return [
		{
			userAgent: event.userAgent ?? '',
			user: event.user?.username ?? '',
			verb: event.verb,
			resource: ref.resource
				? [ref.resource, ref.subresource].filter(Boolean).join('/')
				: event.requestURI.split('?')[0]!,
			namespace: ref.namespace ?? '',
			name: ref.name ?? '',
			code: event.responseStatus?.code ?? 0,
		},
	];
}
