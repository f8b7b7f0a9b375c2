// A kubeconfig with one cluster, one user and one context.
import { stringify } from 'yaml';

type KubeconfigUser = { certificate: string; key: string } | { token: string };

export function kubeconfigText(server: string, ca: string, user: KubeconfigUser, namespace = 'default'): string {
	const base64 = (text: string) => Buffer.from(text).toString('base64');
	const name = 'kubernaut';
	return stringify({
		apiVersion: 'v1',
		kind: 'Config',
		clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(ca) } }],
		users: [
			{
				name,
				user:
					'token' in user
						? { token: user.token }
						: { 'client-certificate-data': base64(user.certificate), 'client-key-data': base64(user.key) },
			},
		],
		contexts: [{ name, context: { cluster: name, user: name, namespace } }],
		'current-context': name,
	});
}
