import { expect, it } from 'vitest';
import { commandsBelow } from '../harness/install-page.ts';

it('docs/install.md has the commands that are tried: kinds before apps, objects before the platform, and a way out', () => {
	const [upgrade] = commandsBelow('Upgrade');
	expect(upgrade?.slice(0, 3)).toEqual([
		'kubectl apply -k deploy/crds',
		'kubectl wait --for=condition=Established crd -l app.kubernetes.io/part-of=kubernaut',
		'kubectl apply -k e2e/cluster',
	]);
	const [inOrder, wayOut] = commandsBelow('Uninstall');
	expect(inOrder).toEqual([
		'kubectl -n kubernaut-system scale deployment/gateway --replicas=0',
		'kubectl -n kubernaut-system wait --for=delete pod -l app.kubernetes.io/name=gateway --timeout=1m',
		'kubectl -n kubernaut-system delete rr,wfe --all --wait',
		'kubectl delete -k e2e/cluster',
	]);
	expect(wayOut?.filter((line) => line.includes('"finalizers":null'))).toHaveLength(2);
});

it('a heading that is not there is an error', () => {
	expect(() => commandsBelow('Downgrade')).toThrow('no heading "Downgrade"');
});
