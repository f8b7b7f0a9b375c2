// Names of signals that the API server accepts (256 characters each, no repetition above 100) and that compile to more
// than a million instructions together: a match of a name of 256 characters takes most of a minute.
const COPIES = 13;

export const COSTLY_EXPRESSIONS: readonly string[] = Array.from({ length: 64 }, (_, i) => {
	const copies = '([ab]{0,10}){0,99}'.repeat(COPIES);
	return `^${copies}x${i}$`;
});
