// The description of the API, made from the schemas that the routes validate with. OpenAPI 3.1 takes them as they are.
import { APP } from '../app.ts';
import { ProblemWithResultsSchema } from './batch-answer.ts';
import { PROBLEM_MEDIA_TYPE, PROBLEMS, type ProblemCode, ProblemSchema, problemType } from './problem.ts';

type RouteSchema = { summary?: string; description?: string; body?: unknown; response?: unknown };
export type DescribedRoute = { readonly method: string; readonly path: string; readonly schema: RouteSchema };

type Answer = { description: string; [more: string]: unknown };
export type ApiDescription = {
	openapi: string;
	info: { title: string; version: string; description: string };
	paths: Record<string, Record<string, Operation>>;
	components: { securitySchemes: Record<string, object> };
	security: object[];
};
export type Operation = {
	summary?: string;
	description?: string;
	requestBody: { required: true; content: Record<string, { schema: unknown }> };
	responses: Record<string, { description: string; headers?: object; content: Record<string, { schema: unknown }> }>;
};

const ANSWERED: readonly ProblemCode[] = (Object.keys(PROBLEMS) as ProblemCode[]).filter(
	(code) => code !== 'REQUEST_NOT_FOUND',
);

/** Answers about a batch of which nothing, or not everything, was stored. */
const WITH_RESULTS = new Set([400, 503, 504]);

/** Every problem that a signal route can answer with, by status. */
export const PROBLEM_RESPONSES: Record<number, Answer> = Object.fromEntries(
	Object.values(Object.groupBy(ANSWERED, (code) => PROBLEMS[code].status)).map((codes) => {
		const [first] = codes;
		const status = first === undefined ? 500 : PROBLEMS[first].status;
		const schema = WITH_RESULTS.has(status) ? ProblemWithResultsSchema : ProblemSchema;
		return [
			status,
			{ ...schema, description: codes.map((code) => `${PROBLEMS[code].title} (\`${problemType(code)}\`)`).join('; ') },
		];
	}),
);

export function describeApi(routes: readonly DescribedRoute[]): ApiDescription {
	const paths: ApiDescription['paths'] = {};
	for (const { method, path, schema } of routes) (paths[path] ??= {})[method.toLowerCase()] = describeRoute(schema);
	return {
		openapi: '3.1.0',
		info: { title: `Kubernaut ${APP.name}`, version: 'v1', description: APP.summary },
		paths,
		components: {
			securitySchemes: {
				bearer: {
					type: 'http',
					scheme: 'bearer',
					description: 'A token of the Kubernetes API whose user may create remediationrequests.',
				},
			},
		},
		security: [{ bearer: [] }],
	};
}

function describeRoute({ summary, description, body, response }: RouteSchema): Operation {
	const answers = Object.entries((response ?? {}) as Record<string, Answer>);
	return {
		...(summary === undefined ? {} : { summary }),
		...(description === undefined ? {} : { description }),
		requestBody: { required: true, content: { 'application/json': { schema: body } } },
		responses: Object.fromEntries(
			answers.map(([status, { description: text, ...schema }]) => {
				const type = Number(status) >= 400 ? PROBLEM_MEDIA_TYPE : 'application/json';
				const headers =
					Number(status) >= 503
						? { headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } } } }
						: {};
				return [status, { description: text, ...headers, content: { [type]: { schema } } }];
			}),
		),
	};
}
