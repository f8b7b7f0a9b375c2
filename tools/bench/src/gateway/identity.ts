// Who asks, taken out of a kubeconfig as tools/control-plane writes them: for clients that speak plain HTTP.
import { readFileSync } from 'node:fs';

export type Identity = { readonly server: string; readonly ca: string; readonly token: string };

export function readIdentity(kubeconfigPath: string): Identity {
	const text = readFileSync(kubeconfigPath, 'utf8');
	const field = (name: string) => {
		const value = new RegExp(`^\\s*${name}: (.+)$`, 'm').exec(text)?.[1];
		if (value === undefined) throw new Error(`${kubeconfigPath} has no ${name}`);
		return value;
	};
	const ca = Buffer.from(field('certificate-authority-data'), 'base64').toString();
	return { server: field('server'), ca, token: field('token') };
}
