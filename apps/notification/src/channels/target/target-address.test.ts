import { describe, expect, it } from 'vitest';
import { addressPolicy, networkList } from './target-address.ts';

const PUBLIC = [
	'8.8.8.8',
	'1.1.1.1',
	'172.15.0.1',
	'172.32.0.1',
	'192.169.0.1',
	'2606:4700::1111',
	'2a00:1450::1',
	'64:ff9b::808:808',
];
const NOT_PUBLIC = [
	'127.0.0.1',
	'127.255.255.255',
	'0.0.0.0',
	'10.1.2.3',
	'172.16.0.1',
	'172.31.255.255',
	'192.168.1.1',
	'169.254.169.254',
	'100.64.0.1',
	'198.18.0.1',
	'224.0.0.1',
	'255.255.255.255',
	'::1',
	'::',
	'fe80::1',
	'fe80::1%eth0',
	'fc00::1',
	'fd12:3456::1',
	'ff02::1',
	'::ffff:127.0.0.1',
	'::ffff:7f00:1',
	'::ffff:169.254.169.254',
	'::127.0.0.1',
	'64:ff9b::10.0.0.1',
	'64:ff9b::a00:1',
	'2002:7f00:1::',
	'2002:a9fe:a9fe::1',
];

describe('addresses of receivers', () => {
	const isAllowed = addressPolicy([]);
	it.each(PUBLIC)('%s is public', (address) => expect(isAllowed(address)).toBe(true));
	it.each(NOT_PUBLIC)('%s is refused', (address) => expect(isAllowed(address)).toBe(false));
	it.each(['', 'localhost', '127.0.0.1.example.com', '300.1.1.1'])('%j is no address', (text) =>
		expect(isAllowed(text)).toBe(false),
	);

	it('of an allowed network may be used, those beside it may not', () => {
		const some = addressPolicy(networkList.parse('10.1.0.0/16, fd00::/8,127.0.0.1') ?? []);
		expect(['10.1.2.3', 'fd00::1', '127.0.0.1', '::ffff:10.1.2.3'].map(some)).toEqual([true, true, true, true]);
		expect(['10.2.0.1', 'fc00::1', '127.0.0.2', '169.254.169.254'].map(some)).toEqual([false, false, false, false]);
	});
});

describe('a list of networks', () => {
	it.each(['10.0.0.0/8', 'fd00::/8,10.0.0.0/8', '127.0.0.1', ['10.0.0.0/8']])('%j is one', (raw) =>
		expect(networkList.parse(raw)).toBeDefined(),
	);
	it.each(['', '10.0.0.0/33', '10.0.0.0/-1', '10.0.0.0/8/8', 'localhost', '10.0.0.0/8,', '::/129', 5, [], [5]])(
		'%j is none',
		(raw) => expect(networkList.parse(raw)).toBeUndefined(),
	);
});
