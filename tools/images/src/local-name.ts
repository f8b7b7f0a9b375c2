// Names of images that are built on a machine and brought to nodes by hand. They have the host of a top-level domain that is
// reserved and exists nowhere (RFC 2606): a node without the image cannot pull another program of that name, from anywhere.

/** In place of a registry. */
export const LOCAL_REGISTRY = 'kubernaut.invalid';

export function localName(name: string): string {
	return `${LOCAL_REGISTRY}/${name}`;
}
