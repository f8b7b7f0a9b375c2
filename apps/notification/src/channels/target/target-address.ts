// Which addresses may be connected to. Addresses of this machine, of private networks and of the link (cloud metadata) are
// refused unless the configuration allows their network: a URL in a secret must not reach what only a pod can reach.
import { BlockList, isIP } from 'node:net';
import type { Value } from '../../process/config-values.ts';

export type Network = { readonly address: string; readonly prefix: number; readonly family: 'ipv4' | 'ipv6' };

/** Everything that is not an address of the public internet. */
const NOT_PUBLIC = [
	'0.0.0.0/8',
	'10.0.0.0/8',
	'100.64.0.0/10',
	'127.0.0.0/8',
	'169.254.0.0/16',
	'172.16.0.0/12',
	'192.0.0.0/24',
	'192.0.2.0/24',
	'192.168.0.0/16',
	'198.18.0.0/15',
	'198.51.100.0/24',
	'203.0.113.0/24',
	'224.0.0.0/4',
	'240.0.0.0/4',
	'::/128',
	'::1/128',
	'100::/64',
	'2001:db8::/32',
	'fc00::/7',
	'fe80::/10',
	'fec0::/10',
	'ff00::/8',
] as const;
/** IPv6 forms of an IPv4 address, by the number of bytes before it: mapped, compatible, NAT64, 6to4. */
const WRAPPED: readonly (readonly [prefix: RegExp, bytesBefore: number])[] = [
	[/^0{20}(?:ffff|0000)(?!0{7}[01]$)/, 12],
	[/^0064ff9b0{16}/, 12],
	[/^2002/, 2],
];

export type AddressPolicy = (address: string) => boolean;

export function addressPolicy(allowed: readonly Network[]): AddressPolicy {
	const refusedList = listOf(NOT_PUBLIC.flatMap((network) => parseNetwork(network) ?? []));
	const allowedList = listOf(allowed);
	return (address) => {
		const plain = unwrapped(address.replace(/%.*$/, ''));
		const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
		return isIP(plain) !== 0 && (allowedList.check(plain, family) || !refusedList.check(plain, family));
	};
}

function listOf(networks: readonly Network[]): BlockList {
	const list = new BlockList();
	for (const { address, prefix, family } of networks) list.addSubnet(address, prefix, family);
	return list;
}

/** The IPv4 address inside an IPv6 one: a gateway of the network may lead there. */
function unwrapped(address: string): string {
	if (isIP(address) !== 6) return address;
	const hex = hexOf(address);
	const wrapped = WRAPPED.find(([prefix]) => prefix.test(hex));
	if (wrapped === undefined) return address;
	const start = wrapped[1] * 2;
	return (hex.slice(start, start + 8).match(/../g) ?? []).map((byte) => Number.parseInt(byte, 16)).join('.');
}

/** All 32 digits. */
function hexOf(address: string): string {
	const withoutDots = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_match, ...parts: string[]) => {
		const [a = 0, b = 0, c = 0, d = 0] = parts.slice(0, 4).map(Number);
		return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
	});
	const [head = '', tail] = withoutDots.split('::');
	const groups = (text: string | undefined) => (text === undefined || text === '' ? [] : text.split(':'));
	const before = groups(head);
	const after = groups(tail);
	const missing = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
	return [...before, ...missing, ...after].map((group) => group.padStart(4, '0').toLowerCase()).join('');
}

function parseNetwork(text: string): Network | undefined {
	const [address = '', prefixText, ...more] = text.trim().split('/');
	const version = isIP(address);
	if (version === 0 || more.length > 0) return undefined;
	const bits = version === 6 ? 128 : 32;
	const prefix = prefixText === undefined ? bits : /^\d{1,3}$/.test(prefixText) ? Number(prefixText) : -1;
	return prefix >= 0 && prefix <= bits ? { address, prefix, family: version === 6 ? 'ipv6' : 'ipv4' } : undefined;
}

/** Of a configuration key. */
export const networkList: Value<readonly Network[]> = {
	allowed: 'one or more networks like 10.0.0.0/8 or fd00::/8, separated by commas',
	parse(raw) {
		const texts = Array.isArray(raw) ? raw : typeof raw === 'string' ? raw.split(',') : [];
		const networks = texts.map((text: unknown) => (typeof text === 'string' ? parseNetwork(text) : undefined));
		return networks.length > 0 && networks.every((network) => network !== undefined) ? networks : undefined;
	},
};
