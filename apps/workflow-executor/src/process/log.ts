/** The logger as a port: a constant message, and fields beside it. */
export type Log = {
	debug(fields: object, message: string): void;
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
	error(fields: object, message: string): void;
};
