import { KubeError } from './kube.ts';

/** The table names the error codes that are expected answers: they become values, every other error is thrown. */
export async function answered<T, A>(call: Promise<T>, answers: Readonly<Record<string, A>>): Promise<T | A> {
	try {
		return await call;
	} catch (error) {
		if (error instanceof KubeError && error.code in answers) return answers[error.code] as A;
		throw error;
	}
}
