// The form of the tables: objects that the API server must take, and objects that it must refuse with words that help.

export interface CustomResource {
	apiVersion: string;
	kind: string;
	metadata: { name: string };
	spec: unknown;
	status?: unknown;
}

/** A JSON merge patch: null removes. */
export type Patch = Record<string, unknown>;

export interface CreateCase {
	title: string;
	/** Applied to the kind's `valid` object before it is sent. */
	change: Patch;
	/** Absent when the server must take it. */
	wantRefused?: RegExp;
	/** What must be stored, besides what was sent. */
	wantStored?: object;
}

export interface UpdateCase {
	title: string;
	/** Sent to the object itself. */
	patch: Patch;
	wantRefused?: RegExp;
}

export interface StatusCase {
	title: string;
	/** Status that the object has before, when it has one. */
	before?: Patch;
	/** Sent as `{status: …}` to the status subresource. A function is given the object's name. */
	status: Patch | null | ((name: string) => Patch);
	wantRefused?: RegExp;
	wantStored?: object;
}

export interface KindCases {
	kind: string;
	/** A new object with what is required and a name of its own. */
	valid(): CustomResource;
	/** Spec and status with every field filled in: the server takes it, and every printer column shows something. */
	full: { spec: Patch; status?: Patch };
	/** What cannot stand beside something in `full`, and takes its place: applied to its spec. */
	instead?: Patch;
	create: CreateCase[];
	update: UpdateCase[];
	status: StatusCase[];
}

/** RFC 7386, as the API server applies it. */
export function mergePatch(target: unknown, patch: unknown): unknown {
	if (!isRecord(patch)) return patch;
	const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
	for (const [key, value] of Object.entries(patch)) {
		if (value === null) delete result[key];
		else result[key] = mergePatch(result[key], value);
	}
	return result;
}

function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function hex(digits: number): string {
	return Array.from({ length: digits }, () => Math.floor(Math.random() * 16).toString(16)).join('');
}

export const UID = '6f1c6e3e-0f0d-4d0c-9a51-0c2f1a6b7d11';
export const TIME = '2024-11-16T10:00:00Z';
export const LATER = '2024-11-16T10:05:00.250Z';

export const CONDITION = {
	type: 'Ready',
	status: 'True',
	observedGeneration: 1,
	lastTransitionTime: TIME,
	reason: 'AllIsWell',
	message: '',
};

/** Rules about status.fencing are the same wherever a status is written under one lock. */
export const FENCING_CASES: StatusCase[] = [
	{
		title: 'a first fencing token',
		status: { fencing: { lease: 'lock-a', token: 7 } },
	},
	{
		title: 'the same fencing token again',
		before: { fencing: { lease: 'lock-a', token: 7 } },
		status: { fencing: { lease: 'lock-a', token: 7 } },
	},
	{
		title: 'a newer fencing token',
		before: { fencing: { lease: 'lock-a', token: 7 } },
		status: { fencing: { lease: 'lock-a', token: 8 } },
	},
	{
		title: 'an older fencing token of another lease',
		before: { fencing: { lease: 'lock-a', token: 7 } },
		status: { fencing: { lease: 'lock-b', token: 6 } },
	},
	{
		title: 'an older fencing token of the same lease',
		before: { fencing: { lease: 'lock-a', token: 7 } },
		status: { fencing: { lease: 'lock-a', token: 6 } },
		wantRefused: /status\.fencing\.token: .*token 6 is older than the stored 7 .*another holder has taken the lock/,
	},
	{
		title: 'tokens are compared as numbers, not as words',
		before: { fencing: { lease: 'lock-a', token: 10 } },
		status: { fencing: { lease: 'lock-a', token: 9 } },
		wantRefused: /token 9 is older than the stored 10/,
	},
	{
		title: 'the fencing removed',
		before: { fencing: { lease: 'lock-a', token: 7 } },
		status: { fencing: null },
		wantRefused: /status\.fencing: .*cannot be removed/,
	},
	{
		title: 'the whole status removed',
		before: { fencing: { lease: 'lock-a', token: 7 } },
		status: null,
		wantRefused: /status.*cannot be removed/,
	},
	{
		title: 'a fencing token without its lease',
		status: { fencing: { token: 7 } },
		wantRefused: /status\.fencing\.lease: Required value/,
	},
	{
		title: 'a fencing token that a JavaScript number cannot hold',
		status: { fencing: { lease: 'lock-a', token: Number.MAX_SAFE_INTEGER + 1 } },
		wantRefused: /should be less than or equal to 9007199254740991/,
	},
];
