// Versions as the programs print them.

/** The first dotted number of a text, without a leading v: "Kubernetes v1.36.3" → "1.36.3". */
export function versionIn(text: string): string | undefined {
	return /(\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1];
}

export function isOlder(version: string, oldest: string): boolean {
	const left = version.split('.').map(Number);
	const right = oldest.split('.').map(Number);
	for (let i = 0; i < right.length; i++) {
		const difference = (left[i] ?? 0) - (right[i] ?? 0);
		if (difference !== 0) return difference < 0;
	}
	return false;
}
