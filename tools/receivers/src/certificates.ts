// Certificates for receivers on loopback, from the tool that makes those of the control planes.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificates } from '@kubernaut/control-plane';

/** For 127.0.0.1, localhost and the names that were asked for, as PEM. */
export type ReceiverCertificates = { readonly ca: string; readonly certificate: string; readonly key: string };

export async function createReceiverCertificates(names: readonly string[] = []): Promise<ReceiverCertificates> {
	const directory = mkdtempSync(join(tmpdir(), 'kubernaut-receivers-'));
	try {
		const { ca } = await createCertificates(directory, names);
		const read = (name: string) => readFileSync(join(directory, name), 'utf8');
		return { ca, certificate: read('server.crt'), key: read('server.key') };
	} finally {
		rmSync(directory, { recursive: true });
	}
}
