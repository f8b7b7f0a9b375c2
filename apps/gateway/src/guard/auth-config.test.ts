import { describe, expect, it } from 'vitest';
import { apiAddress } from './auth-config.ts';

describe('the address that signals are received on', () => {
	it.each([
		{ auth: 'off', listenAddress: undefined, want: '127.0.0.1' },
		{ auth: 'off', listenAddress: '::1', want: undefined },
		{ auth: 'on', listenAddress: undefined, want: undefined },
		{ auth: 'on', listenAddress: '10.0.0.1', want: undefined },
	] as const)('AUTH $auth and LISTEN_ADDRESS $listenAddress: $want', ({ want, ...config }) => {
		expect(apiAddress(config)).toBe(want);
	});
});
