/** A fault with a stable code; `errors.ts` lists the codes of this app with their meaning. Expected outcomes are values. */
export class AppError<Code extends string = string> extends Error {
	readonly code: Code;
	constructor(code: Code, message: string, options?: ErrorOptions) {
		super(message, options);
		this.name = new.target.name;
		this.code = code;
	}
}
