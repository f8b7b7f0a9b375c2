import { describe, expect, it } from 'vitest';
import { NOT_PAUSED, readPauseSwitch } from './pause-switch.ts';

const read = (data?: Record<string, string>) =>
	readPauseSwitch({ metadata: { name: 'pause' }, ...(data === undefined ? {} : { data }) });

describe('the pause switch', () => {
	it.each([
		{ data: undefined, target: 'shop/Deployment/cart', want: undefined },
		{ data: {}, target: 'shop/Deployment/cart', want: undefined },
		{ data: { all: 'false' }, target: 'shop/Deployment/cart', want: undefined },
		{ data: { all: ' true\n' }, target: 'Node/n', want: 'everything is paused by the ConfigMap pause' },
		{
			data: { namespaces: 'a, shop' },
			target: 'shop/Deployment/cart',
			want: 'the namespace shop is paused by the ConfigMap pause',
		},
		{
			data: { namespaces: 'a\nshop\n' },
			target: 'shop/Pod/x',
			want: 'the namespace shop is paused by the ConfigMap pause',
		},
		{ data: { namespaces: 'shop' }, target: 'shop2/Pod/x', want: undefined },
		{
			data: { namespaces: 'shop' },
			target: 'Namespace/shop',
			want: 'the namespace shop is paused by the ConfigMap pause',
		},
		{ data: { namespaces: 'shop' }, target: 'Node/shop', want: undefined },
		{
			data: { targets: 'shop/Deployment/cart' },
			target: 'shop/Deployment/cart',
			want: 'shop/Deployment/cart is paused by the ConfigMap pause',
		},
		{
			data: { targets: 'shop/Deployment/cart Node/n' },
			target: 'Node/n',
			want: 'Node/n is paused by the ConfigMap pause',
		},
		{ data: { targets: 'shop/Deployment/cart' }, target: 'shop/Deployment/cart2', want: undefined },
		{ data: { all: 'false', namespaces: '', targets: ' ' }, target: 'shop/Pod/x', want: undefined },
	])('$data pauses $target: $want', ({ data, target, want }) => {
		expect(read(data).pausedBecause(target)).toBe(want);
	});

	it.each([
		{ data: { all: 'True' }, want: 'its key all is "True", and only true and false are known' },
		{ data: { all: '' }, want: 'its key all is "", and only true and false are known' },
		{
			data: { all: 'false', namespace: 'shop' },
			want: 'it has the key namespace, and only all, namespaces and targets are known',
		},
		{ data: { namespaces: 'shop-*' }, want: 'its key namespaces has "shop-*", which is no name of a namespace' },
		{ data: { namespaces: 'Shop' }, want: 'its key namespaces has "Shop", which is no name of a namespace' },
		{
			data: { targets: 'shop/deployment/cart' },
			want: 'its key targets has "shop/deployment/cart", which is no <namespace>/<Kind>/<name> and no <Kind>/<name>',
		},
		{
			data: { targets: 'cart' },
			want: 'its key targets has "cart", which is no <namespace>/<Kind>/<name> and no <Kind>/<name>',
		},
	])('$data cannot be read, so everything is paused', ({ data, want }) => {
		const message = `everything is paused, because the ConfigMap pause cannot be read: ${want}`;
		expect(read(data).pausedBecause('other/Pod/x')).toBe(message);
	});

	it('that is not there pauses nothing', () => {
		expect(NOT_PAUSED.pausedBecause('shop/Pod/x')).toBeUndefined();
	});
});
