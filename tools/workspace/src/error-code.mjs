/**
 * `ENOENT` and the like; undefined for what is no system error.
 * @param {unknown} error
 * @returns {string | undefined}
 */
export function codeOf(error) {
	return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
