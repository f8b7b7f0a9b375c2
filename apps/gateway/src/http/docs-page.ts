// The description of the API for people: one page of HTML without scripts, which needs nothing from elsewhere.
import type { ApiDescription, Operation } from './openapi.ts';

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
code,pre{font:13px/1.4 ui-monospace,monospace}pre{overflow:auto;padding:1rem;border:1px solid #8886}
table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.3rem .6rem;border-top:1px solid #8886}`;

export function docsPage({ info, paths }: ApiDescription): string {
	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => operationHtml(method, path, operation)),
	);
	return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escape(info.title)}</title><style>${STYLE}</style>
<h1>${escape(info.title)}</h1><p>${escape(info.description)}</p>
<p>Machines read <a href="/openapi.json">/openapi.json</a>. Send a bearer token of the Kubernetes API whose user may create <code>remediationrequests</code>.</p>
${operations.join('\n')}</html>
`;
}

function operationHtml(method: string, path: string, operation: Operation): string {
	const schema = operation.requestBody.content['application/json']?.schema;
	const { examples, ...shape } = schema as { examples?: unknown[] };
	const answers = Object.entries(operation.responses).map(([status, { description, content }]) => {
		const [type = ''] = Object.keys(content);
		return `<tr><td><code>${status}</code><td>${escape(description)}<td><code>${escape(type)}</code>`;
	});
	const [success] = Object.entries(operation.responses).map(([, { content }]) => content['application/json']?.schema);
	return `<h2><code>${method.toUpperCase()} ${escape(path)}</code></h2>
<p>${escape(operation.summary ?? '')} ${escape(operation.description ?? '')}</p>
${(examples ?? []).map((example) => `<p>For example:</p>${json(example)}`).join('')}
<details><summary>Schema of the body</summary>${json(shape)}</details>
<details><summary>Schema of the answer</summary>${json(success)}</details>
<table><tr><th>Answer<th>means<th>type${answers.join('\n')}</table>`;
}

function json(value: unknown): string {
	return `<pre>${escape(JSON.stringify(value, undefined, 2) ?? '')}</pre>`;
}

function escape(text: string): string {
	const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
	return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
