/** As much of a logger as the parts that log need: constant messages, fields beside them. */
export type Log = {
	debug(fields: object, message: string): void;
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
	error(fields: object, message: string): void;
};
