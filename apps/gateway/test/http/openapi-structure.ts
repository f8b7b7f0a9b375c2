// What an OpenAPI 3.1 document must look like, of all that ours uses. Strict: a member in the wrong place is an error.
const text = { type: 'string', minLength: 1 };
const exactly = (required: string[], properties: object, more: object = {}) => ({
	type: 'object',
	required,
	properties,
	additionalProperties: false,
	...more,
});
const schema = { type: 'object' };
const content = {
	type: 'object',
	minProperties: 1,
	propertyNames: { pattern: '^[a-z]+/[a-z0-9.+-]+$' },
	additionalProperties: exactly(['schema'], { schema }),
};
const response = exactly(['description'], {
	description: text,
	content,
	headers: { type: 'object', additionalProperties: exactly(['schema'], { description: text, schema }) },
});
const operation = exactly(['responses'], {
	summary: text,
	description: text,
	requestBody: exactly(['content'], { required: { type: 'boolean' }, content }),
	responses: {
		type: 'object',
		minProperties: 1,
		propertyNames: { pattern: '^([1-5][0-9][0-9]|[1-5]XX|default)$' },
		additionalProperties: response,
	},
});
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export const OPENAPI_STRUCTURE = exactly(['openapi', 'info', 'paths'], {
	openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
	info: exactly(['title', 'version'], { title: text, version: text, description: text }),
	paths: {
		type: 'object',
		propertyNames: { pattern: '^/' },
		additionalProperties: exactly([], Object.fromEntries(methods.map((method) => [method, operation]))),
	},
	components: exactly([], {
		securitySchemes: {
			type: 'object',
			additionalProperties: exactly(['type', 'scheme'], { type: { const: 'http' }, scheme: text, description: text }),
		},
	}),
	security: {
		type: 'array',
		items: { type: 'object', additionalProperties: { type: 'array', items: text } },
	},
});
