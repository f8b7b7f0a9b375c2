// Says by its own means whether a body is a valid one: written from the formats' documentation, field by field, with
// none of the schemas, validators and readers that it judges.
import { isUtf8 } from 'node:buffer';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Fields = { readonly [key: string]: Json };

export const MAX_DEPTH = 64;

/** At least one of its alerts can be handled; the others are rejected alone. */
export function isValidWebhookBody(bytes: Uint8Array): boolean {
	const body = readable(bytes);
	return body !== undefined && isWebhook(body);
}

export function isValidEventBody(bytes: Uint8Array): boolean {
	const body = readable(bytes);
	return body !== undefined && isHarmless(body) && isEvent(body);
}

/** Undefined when it is not JSON in UTF-8 or nests too deep. */
function readable(bytes: Uint8Array): Json | undefined {
	if (!isUtf8(bytes)) return undefined;
	try {
		const body = JSON.parse(
			Buffer.from(bytes)
				.toString()
				.replace(/^\ufeff/, ''),
		) as Json;
		return isShallow(body, 0) ? body : undefined;
	} catch {
		return undefined;
	}
}

function isShallow(value: Json, depth: number): boolean {
	if (typeof value !== 'object' || value === null) return true;
	return depth < MAX_DEPTH && Object.values(value).every((child: Json) => isShallow(child, depth + 1));
}

/** It does not reach for a prototype. */
function isHarmless(value: Json): boolean {
	if (typeof value !== 'object' || value === null) return true;
	return Object.entries(value).every(
		([key, child]) =>
			(Array.isArray(value) || (key !== '__proto__' && !(key === 'constructor' && hasPrototype(child)))) &&
			isHarmless(child),
	);
}
const hasPrototype = (value: Json) =>
	typeof value === 'object' && value !== null && Object.keys(value).includes('prototype');

const isFields = (value: Json | undefined): value is Fields =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: Json | undefined) => typeof value === 'string';
const isSomeText = (value: Json | undefined) => isText(value) && value !== '';
const absentOr = (is: (value: Json | undefined) => boolean) => (value: Json | undefined) =>
	value === undefined || is(value);
const isTexts = (value: Json | undefined) => isFields(value) && Object.values(value).every(isText);
const isStatus = (value: Json | undefined) => value === 'firing' || value === 'resolved';
const isWhole = (value: Json | undefined) => typeof value === 'number' && Number.isInteger(value);
const isTime = (value: Json | undefined) => value === null || isText(value);
const own = (fields: Fields, name: string) => (Object.hasOwn(fields, name) ? fields[name] : undefined);
/** Empty when there is none. */
function textOf(fields: Fields, name: string): string {
	const value = own(fields, name);
	return typeof value === 'string' ? value : '';
}
const all = (fields: Fields, names: readonly string[], is: (value: Json | undefined) => boolean) =>
	names.every((name) => is(own(fields, name)));

function isWebhook(body: Json): boolean {
	if (!isFields(body)) return false;
	const alerts = own(body, 'alerts');
	const truncated = own(body, 'truncatedAlerts');
	const envelope = Object.fromEntries(Object.entries(body).filter(([field]) => field !== 'alerts'));
	return (
		!Object.hasOwn(body, '__proto__') &&
		isHarmless(envelope) &&
		all(body, ['groupKey', 'receiver', 'externalURL'], absentOr(isText)) &&
		all(body, ['groupLabels', 'commonLabels', 'commonAnnotations'], absentOr(isTexts)) &&
		[undefined, '4', '1'].includes(own(body, 'version') as string) &&
		absentOr(isStatus)(own(body, 'status')) &&
		(truncated === undefined || (isWhole(truncated) && Number(truncated) >= 0)) &&
		Array.isArray(alerts) &&
		alerts.some(
			(alert: Json) => isHarmless(alert) && isAlert(alert) && isReadable((alert as { labels: Fields }).labels),
		)
	);
}

/** It has a name, and its labels are characters that people can read. */
function isReadable(labels: Fields): boolean {
	const name = textOf(labels, 'alertname');
	if (!/\S/.test(name) || /[\t\n\r]/.test(name)) return false;
	return Object.entries(labels).every(([label, value]) =>
		[label, value as string].every(
			// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
			(text) => text.isWellFormed() && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text),
		),
	);
}

function isAlert(alert: Json): boolean {
	return (
		isFields(alert) &&
		isStatus(own(alert, 'status')) &&
		isTexts(own(alert, 'labels')) &&
		absentOr(isTexts)(own(alert, 'annotations')) &&
		all(alert, ['startsAt', 'endsAt', 'generatorURL', 'fingerprint'], absentOr(isText))
	);
}

/** Alone, or wrapped by a watch or by eventrouter. */
function isEvent(body: Json): boolean {
	if (!isFields(body)) return false;
	const isBare = Object.hasOwn(body, 'involvedObject') || Object.hasOwn(body, 'regarding');
	const inside = own(body, 'object') ?? own(body, 'event');
	if (isBare || typeof inside !== 'object' || inside === null) return isBareEvent(body);
	return own(body, 'type') === 'DELETED' || isBareEvent(inside); // of a deleted one nothing is read
}

function isBareEvent(body: Json): boolean {
	if (!isFields(body)) return false;
	const core = Object.hasOwn(body, 'involvedObject');
	if (core && Object.hasOwn(body, 'regarding')) return false;
	if (![undefined, '', 'Event'].includes(own(body, 'kind') as string)) return false;
	if (![undefined, '', core ? 'v1' : 'events.k8s.io/v1'].includes(own(body, 'apiVersion') as string)) return false;
	const object = own(body, core ? 'involvedObject' : 'regarding');
	const metadata = own(body, 'metadata') ?? {};
	const source = own(body, core ? 'source' : 'deprecatedSource') ?? {};
	const series = own(body, 'series') ?? {};
	const texts = core ? ['message', 'reportingComponent'] : ['note', 'reportingController'];
	const times = core ? ['firstTimestamp', 'lastTimestamp'] : ['deprecatedFirstTimestamp', 'deprecatedLastTimestamp'];
	const wellFormed =
		all(body, ['type', 'reason'], isSomeText) &&
		all(body, ['reportingInstance', 'clusterName', ...texts], absentOr(isText)) &&
		all(body, ['eventTime', ...times], absentOr(isTime)) &&
		isFields(object) &&
		all(object, ['kind', 'name'], isSomeText) &&
		all(object, ['namespace', 'apiVersion', 'uid', 'fieldPath'], absentOr(isText)) &&
		isOwners(own(object, 'ownerReferences')) &&
		own(body, 'metadata') !== null &&
		isFields(metadata) &&
		all(metadata, ['name', 'namespace'], absentOr(isText)) &&
		absentOr(isTime)(own(metadata, 'creationTimestamp')) &&
		own(body, core ? 'source' : 'deprecatedSource') !== null &&
		isFields(source) &&
		all(source, ['component', 'host'], absentOr(isText)) &&
		isFields(series) &&
		absentOr(isWhole)(own(series, 'count')) &&
		absentOr(isTime)(own(series, 'lastObservedTime'));
	if (!wellFormed) return false;
	if (own(body, 'type') !== 'Warning') return true; // ignored, whatever it is about
	return /\S/.test(textOf(body, 'reason')) && isObjectThatCanBe(object, metadata);
}

function isOwners(owners: Json | undefined): boolean {
	if (owners === undefined || owners === null) return true;
	return (
		Array.isArray(owners) &&
		owners.every(
			(owner: Json) =>
				isFields(owner) &&
				all(owner, ['kind', 'name'], isSomeText) &&
				absentOr(isText)(own(owner, 'apiVersion')) &&
				[undefined, null, true, false].includes(own(owner, 'controller') as boolean),
		)
	);
}

function isObjectThatCanBe(object: Fields, metadata: Fields): boolean {
	const [kind, name] = [textOf(object, 'kind'), textOf(object, 'name')];
	const namespace = textOf(object, 'namespace');
	const isNamespace = (text: string) => text.length <= 63 && /^[a-z0-9]+(-+[a-z0-9]+)*$/.test(text);
	// DNS-1123; kinds that allow more are not among those that are tried.
	const isName = name.length <= 253 && name.split('.').every((part) => /^[a-z0-9]+(-+[a-z0-9]+)*$/.test(part));
	if (!isName) return false;
	switch (kind.toLowerCase()) {
		case 'node':
			return true; // in no namespace, whatever is said
		case 'pod':
		case 'deployment':
			return isNamespace(namespace === '' ? textOf(metadata, 'namespace') : namespace);
		default:
			return /^[A-Z][A-Za-z0-9]{0,62}$/.test(kind) && (namespace === '' || isNamespace(namespace));
	}
}
