// One process of bare-hop-main.ts, which ends with ours.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts, openOwnedDirectory } from '@kubernaut/control-plane';
import { startOwnedProcess } from '@kubernaut/workspace/owned-processes';
import { untilAnswered } from '../baseline/until-answered.ts';

const MAIN = join(dirname(fileURLToPath(import.meta.url)), 'bare-hop-main.ts');

export async function startBareHop(kubeconfig: string, namespace: string) {
	const [port] = await freePorts(1);
	const directory = await openOwnedDirectory();
	const child = startOwnedProcess(
		directory.path,
		'bare-hop',
		[process.execPath, MAIN, kubeconfig, namespace, `${port}`],
		{
			env: { PATH: process.env['PATH'] },
		},
	);
	child.unref();
	const url = `http://127.0.0.1:${port}`;
	if (await untilAnswered(url, child)) return { url, stop: () => directory.close() };
	await directory.close();
	throw new Error('the bare hop did not start');
}
