// Requests that are invalid, and some that are nearly valid, for fast-check.
import fc from 'fast-check';
import { EVENT, PROMETHEUS } from './routes.ts';
import { MAX_DEPTH } from './validity-oracle.ts';

export type FuzzedRequest = {
	readonly path: string;
	readonly body: Uint8Array;
	/** Without a length, in chunks. */
	readonly chunked: boolean;
	readonly contentType: { readonly header: string | undefined; readonly accepted: boolean };
	readonly contentEncoding: { readonly header: string | undefined; readonly accepted: boolean };
	readonly authorized: boolean;
	readonly more: Readonly<Record<string, string>>;
};

const text = fc.oneof(
	{ weight: 6, arbitrary: fc.constantFrom('cart', 'shop', 'A', 'critical', '2026-11-16T20:00:00Z', '') },
	{ weight: 2, arbitrary: fc.string({ maxLength: 12 }) },
	{ weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
	{ weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', '\ud800', '\u0000', '../..', 'a'.repeat(300)) },
);
const labelName = fc.oneof(
	{ weight: 8, arbitrary: fc.constantFrom('alertname', 'namespace', 'deployment', 'pod', 'node', 'severity') },
	{ weight: 2, arbitrary: text },
);
/** Any JSON, keys that reach for prototypes included. */
const anything = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 4 },
		fc.constantFrom(null, true, false, 0, -1, 1.5, 1e308, 2 ** 53, [], {}),
		text,
		fc.array(tie('value'), { maxLength: 3 }),
		fc.array(fc.tuple(fc.oneof(text, labelName), tie('value')), { maxLength: 3 }).map(ownProperties),
	),
})).value;

/** Also of `__proto__`, which JSON.parse makes a property like any other. */
function ownProperties(entries: readonly (readonly [string, unknown])[]): object {
	const object = {};
	for (const [name, value] of entries)
		Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
	return object;
}

/** Mostly as it should be. */
const mostly = <T>(good: fc.Arbitrary<T>, weight = 60): fc.Arbitrary<unknown> =>
	fc.oneof({ weight, arbitrary: good }, { weight: 1, arbitrary: anything });
const optional = <T>(good: fc.Arbitrary<T>) => fc.option(mostly(good), { nil: undefined, freq: 2 });
const texts = fc
	.array(fc.tuple(labelName, mostly(text)), { maxLength: 5 })
	.map((entries) => ownProperties([['alertname', 'Fuzzed'], ...entries]));

const alert = fc.record({
	status: mostly(fc.constantFrom('firing', 'resolved')),
	labels: mostly(texts),
	annotations: optional(texts),
	startsAt: optional(text),
	endsAt: optional(text),
	generatorURL: optional(text),
	fingerprint: optional(text),
	[`more`]: fc.option(anything, { nil: undefined, freq: 10 }),
});
const webhook = fc.record({
	version: optional(fc.constantFrom('4', '1')),
	groupKey: optional(text),
	truncatedAlerts: optional(fc.nat()),
	status: optional(fc.constantFrom('firing', 'resolved')),
	receiver: optional(text),
	groupLabels: optional(texts),
	commonLabels: optional(texts),
	externalURL: optional(text),
	alerts: mostly(fc.array(mostly(alert), { minLength: 1, maxLength: 3 })),
});
const time = fc.constantFrom('2026-11-16T20:00:00Z', null, 'yesterday');
const reference = fc.record({
	kind: mostly(fc.constantFrom('Pod', 'Deployment', 'Node', 'Kafka', 'pod', 'kafka-topic', 'X'.repeat(64)), 20),
	name: mostly(fc.constantFrom('cart', 'system:x', 'a/b', 'a b', '..', 'x'.repeat(254)), 20),
	namespace: optional(fc.constantFrom('shop', '', 'No', 'n'.repeat(64))),
	apiVersion: optional(fc.constantFrom('v1', 'apps/v1', '//')),
	ownerReferences: optional(
		fc.array(mostly(fc.record({ kind: text, name: text, controller: fc.boolean() })), { maxLength: 2 }),
	),
});
const eventFields = fc.record({
	apiVersion: optional(fc.constantFrom('v1', 'events.k8s.io/v1', '')),
	kind: optional(fc.constantFrom('Event', '')),
	metadata: optional(fc.record({ name: text, namespace: fc.constantFrom('shop', ''), creationTimestamp: time })),
	type: mostly(fc.constantFrom('Warning', 'Normal')),
	reason: mostly(fc.constantFrom('Fuzzed', ' ', 'BackOff')),
	clusterName: optional(text),
	message: optional(text),
	note: optional(text),
	source: optional(fc.record({ component: text, host: text })),
	lastTimestamp: optional(time),
	eventTime: optional(time),
	series: optional(fc.record({ count: fc.nat(), lastObservedTime: time })),
});
const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
	fc.oneof({ weight: 10, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const bareEvent = fc
	.tuple(eventFields, mostly(reference), fc.constantFrom('involvedObject', 'regarding'), seldom(reference))
	.map(([fields, object, name, both]) => ({
		...(both === undefined ? {} : { regarding: both }),
		...fields,
		[name]: object,
	}));
const event = fc.oneof(
	{ weight: 6, arbitrary: bareEvent },
	{ weight: 1, arbitrary: fc.record({ type: fc.constantFrom('ADDED', 'DELETED'), object: mostly(bareEvent) }) },
	{ weight: 1, arbitrary: fc.record({ verb: fc.constant('ADDED'), event: mostly(bareEvent) }) },
);
const manyLabels = fc
	.integer({ min: 100, max: 1500 })
	.map((count) => ({ alerts: [{ status: 'firing', labels: Object.fromEntries(numbered(count)) }] }));
const numbered = (count: number) => Array.from({ length: count }, (_, index) => [`l${index}`, 'x'] as const);
const nested = fc
	.tuple(fc.constantFrom(MAX_DEPTH - 4, MAX_DEPTH, MAX_DEPTH + 1, 500, 5000), fc.constantFrom('[', '{"a":'))
	.map(([levels, open]) => open.repeat(levels) + '1' + (open === '[' ? ']' : '}').repeat(levels));
const nestedInside = nested.map((deep) => `{"alerts":[{"status":"firing","labels":{"alertname":"F"},"x":${deep}}]}`);

const json = fc.oneof(
	{ weight: 12, arbitrary: fc.oneof(webhook, event).map((value) => JSON.stringify(value)) },
	{ weight: 4, arbitrary: anything.map((value) => JSON.stringify(value)) },
	{ weight: 1, arbitrary: manyLabels.map((value) => JSON.stringify(value)) },
	{ weight: 1, arbitrary: fc.oneof(nested, nestedInside) },
);
const body: fc.Arbitrary<Uint8Array> = fc.oneof(
	{ weight: 12, arbitrary: json.map((good) => Buffer.from(good)) },
	// Cut anywhere, also in the middle of a character.
	{ weight: 2, arbitrary: fc.tuple(json, fc.double({ min: 0, max: 1, noNaN: true })).map(cut) },
	{ weight: 1, arbitrary: fc.tuple(json, fc.nat(), fc.nat(255)).map(spoil) },
	{ weight: 1, arbitrary: json.map((good) => Buffer.from(`\ufeff${good}`)) },
	{ weight: 1, arbitrary: json.map((good) => Buffer.from(good, 'utf16le')) },
	{ weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }) },
	{ weight: 1, arbitrary: fc.nat({ max: 40_000 }).map((size) => Buffer.alloc(size, '[1,')) },
);
function cut([good, part]: [string, number]): Uint8Array {
	const bytes = Buffer.from(good);
	return bytes.subarray(0, Math.floor(bytes.length * part));
}
function spoil([good, place, byte]: [string, number, number]): Uint8Array {
	const bytes = Buffer.from(good);
	bytes[place % bytes.length] = byte;
	return bytes;
}

const rarely = <T>(usual: T, other: fc.Arbitrary<T>, freq = 12) =>
	fc.oneof({ weight: freq, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other });
const accepted = (header: string | undefined) => ({ header, accepted: true });
const rejected = (header: string | undefined) => ({ header, accepted: false });

export const fuzzedRequest: fc.Arbitrary<FuzzedRequest> = fc.record({
	path: fc.constantFrom(PROMETHEUS, EVENT),
	body,
	chunked: rarely<boolean>(false, fc.constant(true), 4),
	contentType: rarely(
		accepted('application/json'),
		fc.constantFrom(
			accepted('application/json; charset=utf-8'),
			accepted('APPLICATION/JSON;charset="UTF-8"'),
			rejected('application/json; charset=iso-8859-1'),
			rejected('application/jsonp'),
			rejected('application/x-www-form-urlencoded'),
			rejected('text/plain'),
			rejected('json'),
			rejected('*/*'),
			rejected(undefined),
		),
	),
	contentEncoding: rarely(
		accepted(undefined),
		fc.constantFrom(accepted('identity'), rejected('gzip'), rejected('br, gzip'), rejected('x')),
		20,
	),
	authorized: rarely<boolean>(true, fc.constant(false), 40),
	more: fc.dictionary(
		fc.constantFrom('x-request-id', 'accept', 'cookie', 'x-forwarded-for', 'origin', 'if-match', 'range', 'te'),
		fc.stringMatching(/^[!-~]{1,40}$/),
		{ maxKeys: 2 },
	),
});
