// What the API server says to an object, without storing it: every field known, every value allowed, no warning.
import { APPLY, type KubeApi, type KubeObject, objectPath } from '@kubernaut/control-plane';
import { describeObject } from './render.ts';

const QUERY = 'dryRun=All&fieldValidation=Strict&fieldManager=kubernaut-manifests&force=true';

/** A sentence for each problem; empty when there is none. */
export async function validate(api: KubeApi, object: KubeObject): Promise<string[]> {
	const problems: string[] = [];
	const path = await objectPath(api, object);
	const { status, body } = await api.send('PATCH', `${path}?${QUERY}`, {
		body: object,
		contentType: APPLY,
		onHeaders: ({ warning }) => problems.push(...[warning ?? []].flat()),
	});
	if (status >= 400) problems.push(String(body['message']));
	return problems.map((problem) => `${describeObject(object)}: ${problem}`);
}
