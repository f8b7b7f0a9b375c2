// The example's configuration, with a real Alertmanager: it is taken, and it sends to the Service of the gateway with the
// token that is mounted.
import { obtainPart, startPart } from '@kubernaut/control-plane';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderOverlay } from '../src/render.ts';

let binary: string;
beforeAll(async () => {
	binary = await obtainPart('alertmanager'); // built from source the first time
});

it('Alertmanager starts with it, and it names the Service and the token that the manifests have', async () => {
	const objects = await renderOverlay('production', ['alertmanager-example']);
	const named = (kind: string, prefix: string) =>
		objects.find((object) => object['kind'] === kind && object['metadata'].name.startsWith(prefix));
	const text = String(named('ConfigMap', 'alertmanager-example-')?.['data']['alertmanager.yaml']);
	const running = await startPart('alertmanager', {
		binary,
		files: { 'alertmanager.yaml': text },
	});
	try {
		const status = (await (await fetch(`${running.url}/api/v2/status`)).json()) as { config: { original: string } };
		expect(status.config.original).toContain('receiver: kubernaut');
	} finally {
		await running.stop();
	}

	const [receiver] = (parse(text) as { receivers: { webhook_configs: Webhook[] }[] }).receivers;
	const [webhook] = receiver?.webhook_configs ?? [];
	const { hostname, port } = new URL(webhook?.url ?? '');
	const service = named('Service', 'gateway');
	expect(hostname).toBe(`${service?.['metadata'].name}.${service?.['metadata'].namespace}.svc`);
	expect(service?.['spec'].ports.map((one: { port: number }) => String(one.port))).toContain(port);
	const pod = named('Deployment', 'alertmanager-example')?.['spec'].template.spec;
	const mounts = pod.containers[0].volumeMounts;
	const token = mounts.find(({ name }: { name: string }) => name === 'token');
	expect(webhook?.http_config.authorization.credentials_file).toBe(`${token.mountPath}/token`);
});

type Webhook = { url: string; http_config: { authorization: { credentials_file: string } } };
