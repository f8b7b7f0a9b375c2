// The commands of docs/install.md, run as they stand there: what is written down is what is tried.
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { runProgram } from '@kubernaut/kind';

const ROOT = join(import.meta.dirname, '..', '..');
/** In place of the reader's own kustomization, `install`. */
const KUSTOMIZATION = 'e2e/cluster';

/** The code blocks below a heading, each as its lines. */
export function commandsBelow(heading: string): string[][] {
	const page = readFileSync(join(ROOT, 'docs', 'install.md'), 'utf8');
	const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
	if (section === undefined) throw new Error(`docs/install.md has no heading "${heading}"`);
	return [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) =>
		block
			.split('\n')
			.map((line) => line.replace(/\s+#.*$/, '').replace(/-k install\b/, `-k ${KUSTOMIZATION}`))
			.filter((line) => line !== ''),
	);
}

/** In a shell, with this kubectl and this cluster. */
export function runCommand(line: string, kubectl: string, kubeconfigPath: string): Promise<string> {
	const env = {
		...process.env,
		PATH: `${dirname(kubectl)}${delimiter}${process.env['PATH']}`,
		KUBECONFIG: kubeconfigPath,
	};
	return runProgram(['bash', '-euo', 'pipefail', '-c', line], { cwd: ROOT, env });
}
