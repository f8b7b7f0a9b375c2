import { describe, expect, it } from 'vitest';
import { NOT_PAUSED, readPauseSwitch } from './pause-switch.ts';

const read = (data?: Record<string, string>) =>
	readPauseSwitch({ metadata: { name: 'pause' }, ...(data === undefined ? {} : { data }) });

describe('the pause switch', () => {
	it.each([
		{ data: undefined, target: 'Node/n', want: 'everything is paused, because the ConfigMap pause names nothing' },
		{ data: {}, target: 'Node/n', want: 'everything is paused, because the ConfigMap pause names nothing' },
		{
			data: { namespaces: ' ', targets: '' },
			target: 'Node/n',
			want: 'everything is paused, because the ConfigMap pause names nothing',
		},
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
		{ data: { all: 'True' }, want: 'key all is "True"; allowed are true and false' },
		{ data: { all: '' }, want: 'key all is ""; allowed are true and false' },
		{
			data: { all: 'false', namespace: 'shop' },
			want: 'unknown key namespace; allowed are all, namespaces and targets',
		},
		{ data: { namespaces: 'shop-*' }, want: 'key namespaces has "shop-*", which is not a namespace name' },
		{ data: { namespaces: 'Shop' }, want: 'key namespaces has "Shop", which is not a namespace name' },
		{
			data: { targets: 'shop/deployment/cart' },
			want: 'key targets has "shop/deployment/cart", which is neither <namespace>/<Kind>/<name> nor <Kind>/<name>',
		},
		{
			data: { targets: 'cart' },
			want: 'key targets has "cart", which is neither <namespace>/<Kind>/<name> nor <Kind>/<name>',
		},
	])('$data is invalid, so everything is paused', ({ data, want }) => {
		const message = `everything is paused, because the ConfigMap pause is invalid: ${want}`;
		expect(read(data).pausedBecause('other/Pod/x')).toBe(message);
	});

	it.each([
		{ data: { all: 'true' }, wantScope: 'everything', want: 'everything is paused by the ConfigMap pause' },
		{ data: { all: 'false' }, wantScope: 'nothing', want: 'nothing is paused' },
		{
			data: { namespaces: 'shop', targets: 'Node/n' },
			wantScope: 'some',
			want: 'paused by the ConfigMap pause: shop, Node/n',
		},
	])('$data is described as $want', ({ data, wantScope, want }) => {
		expect(read(data)).toMatchObject({ scope: wantScope, description: want });
	});

	it('that is not there pauses nothing', () => {
		expect(NOT_PAUSED.pausedBecause('shop/Pod/x')).toBeUndefined();
	});
});
