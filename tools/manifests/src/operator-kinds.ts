// The kinds of the Prometheus operator that our component uses, from the operator's own Go module: its bytes are the ones
// that this checksum stands for. Nothing of them is kept in this repository.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { KubeObject } from '@kubernaut/control-plane';
import { parse } from 'yaml';

const MODULE = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';
const SUM = 'h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=';
const DIRECTORY = join('example', 'prometheus-operator-crd');
const KINDS = ['servicemonitors', 'prometheusrules'];

/** Undefined where there is no Go to fetch it with. */
export async function operatorKinds(): Promise<KubeObject[] | undefined> {
	const answer = await promisify(execFile)('go', ['mod', 'download', '-json', MODULE], { cwd: '/' }).catch(
		(error: NodeJS.ErrnoException) => {
			if (error.code === 'ENOENT') return undefined;
			throw error;
		},
	);
	if (answer === undefined) return undefined;
	const { Dir, Sum } = JSON.parse(answer.stdout) as { Dir: string; Sum: string };
	if (Sum !== SUM) throw new Error(`${MODULE} is ${Sum}, not ${SUM}`);
	return KINDS.map(
		(kind) => parse(readFileSync(join(Dir, DIRECTORY, `monitoring.coreos.com_${kind}.yaml`), 'utf8')) as KubeObject,
	);
}
