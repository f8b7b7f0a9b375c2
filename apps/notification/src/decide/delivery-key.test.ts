import { describe, expect, it } from 'vitest';
import { anObject, FINGERPRINT } from '../../test/harness/made-up.ts';
import type { NotificationRequestContext } from '../generated/notification-request.ts';
import { DEFAULT_KEY_TEMPLATE, deliveryKey, keyTemplateProblem } from './delivery-key.ts';

const { spec } = anObject();
const keyWith = (context: Partial<NotificationRequestContext>, uid = 'uid-1') =>
	deliveryKey(DEFAULT_KEY_TEMPLATE, uid, { ...spec, context: { ...spec.context, ...context } }, 'slack');

describe('the key across clusters', () => {
	it('is the same for the same incident, whatever the object', () => {
		expect(keyWith({}, 'uid-1')).toEqual(keyWith({}, 'uid-2'));
		expect(keyWith({}).key).toBe(`${FINGERPRINT}/2026-11-18T11%3A00%3A00.000Z/0/failed/slack`);
	});

	it('takes no notice of how a cluster writes the time', () => {
		expect(keyWith({ firingTime: '2026-11-18T11:00:00.000Z' })).toEqual(keyWith({}));
	});

	it.each([
		{
			what: 'the cause: "no workflow" does not swallow the "failed" of the same incident',
			context: { cause: 'no-workflow' },
		},
		{
			what: 'the digest of the cause: a second question does not pass for the first one',
			context: { causeDigest: '0123abcd' },
		},
		{ what: 'the chain: an alert that keeps firing has a second remediation', context: { chain: 1 } },
		{ what: 'the firing time', context: { firingTime: '2026-11-18T11:00:01Z' } },
		{ what: 'the fingerprint', context: { signalFingerprint: 'b'.repeat(64) } },
	])('differs with $what', ({ context }) => {
		expect(keyWith(context).key).not.toBe(keyWith({}).key);
	});

	it('differs with the channel', () => {
		expect(deliveryKey(DEFAULT_KEY_TEMPLATE, 'u', spec, 'email')).not.toEqual(keyWith({}, 'u'));
	});

	it('takes every variable of the context', () => {
		const template = '{channel} {type} {priority} {signalName} {severity} {targetResource} {labels.team}';
		expect(deliveryKey(template, 'u', spec, 'log').key).toBe(
			'log Escalation High Crash critical shop%2FDeployment%2Fcart checkout',
		);
	});

	it('is injective: a value cannot pretend to be two', () => {
		const template = '{signalName}/{severity}/{channel}';
		const key = (signalName: string, severity: string) =>
			deliveryKey(template, 'u', { ...spec, context: { signalName, severity } }, 'log').key;
		expect(key('a/b', 'c')).not.toBe(key('a', 'b/c'));
	});

	it.each([
		{
			why: 'a context that lacks a variable',
			template: DEFAULT_KEY_TEMPLATE,
			context: {},
			missing: 'signalFingerprint',
		},
		{ why: 'a label that is not there', template: '{labels.x}{channel}', context: spec.context, missing: 'labels.x' },
		{ why: 'an unknown variable', template: '{planet}{channel}', context: spec.context, missing: 'planet' },
	])('is that of the uid with $why: rather twice than lost', ({ template, context = {}, missing }) => {
		expect(deliveryKey(template, 'uid-1', { ...spec, context }, 'slack')).toEqual({ key: 'uid-1-slack', missing });
	});

	it('must have the channel', () => {
		expect(keyTemplateProblem('{cause}')).toMatch(/lacks \{channel\}/);
		expect(keyTemplateProblem(DEFAULT_KEY_TEMPLATE)).toBeUndefined();
	});
});
