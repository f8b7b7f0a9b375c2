import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { identify } from './identity.ts';

const IN_CLUSTER = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };

describe('identify', () => {
	it('name and namespace of the pod are taken as they are set', () => {
		expect(identify({ podName: 'a-0', podNamespace: 'b' }, IN_CLUSTER)).toEqual({ podName: 'a-0', podNamespace: 'b' });
	});

	it.each([
		{ config: {}, want: 'POD_NAME and POD_NAMESPACE must be set' },
		{ config: { podName: 'a-0' }, want: /^POD_NAMESPACE must be set/ },
		{ config: { podNamespace: 'b' }, want: /^POD_NAME must be set/ },
		{ config: { podName: 'POD_7' }, want: /^POD_NAMESPACE must be set/ },
	])('nothing is guessed in a cluster: $config', ({ config, want }) => {
		expect(identify(config, IN_CLUSTER)).toEqual({ problem: expect.stringMatching(want) });
	});

	it('outside a cluster the name is made of host and process id, with a warning', () => {
		const podName = `${hostname()}-${process.pid}`;
		expect(identify({}, {})).toEqual({
			podName,
			podNamespace: 'kubernaut-system',
			warning: expect.stringContaining(podName),
		});
	});
});
