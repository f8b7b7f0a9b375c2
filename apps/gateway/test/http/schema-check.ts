// Checks values against JSON Schemas with the validator that comes with fastify; a test needs no other.
import { type FastifyRequest, fastify } from 'fastify';

export type SchemaCheck = (schema: object, value: unknown) => Promise<string[]>;

/** Returns the errors; none when the value fits. Rejects when the schema itself is wrong. */
export function createSchemaCheck(): SchemaCheck {
	const compiled = new Map<object, Promise<ReturnType<Compile>>>();
	return async (schema, value) => {
		let validate = compiled.get(schema);
		if (validate === undefined) compiled.set(schema, (validate = compile(schema)));
		const check = await validate;
		return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
	};
}

type Compile = FastifyRequest['compileValidationSchema'];

async function compile(schema: object): Promise<ReturnType<Compile>> {
	const server = fastify({
		ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false, allErrors: true } },
	});
	const result = Promise.withResolvers<ReturnType<Compile>>();
	server.get('/', (request, reply) => {
		try {
			result.resolve(request.compileValidationSchema(schema));
		} catch (error) {
			result.reject(error);
		}
		return reply.send();
	});
	await server.inject('/');
	await server.close();
	return result.promise;
}
