// The CRDs on a real API server: what it takes, what it refuses and in which words, what `kubectl get` shows, and which
// fields can be selected by. The tables are in cases/.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Crd, readCrds } from '../src/crd.ts';
import { type Answer, type Cause, connect, type Resources } from './api.ts';
import { type CustomResource, type KindCases, mergePatch } from './cases/case.ts';
import { NOTIFICATION_REQUEST_CASES } from './cases/notification-request.ts';
import { REMEDIATION_APPROVAL_CASES } from './cases/remediation-approval.ts';
import { REMEDIATION_REQUEST_CASES } from './cases/remediation-request.ts';
import { REMEDIATION_WORKFLOW_CASES } from './cases/remediation-workflow.ts';
import { WORKFLOW_EXECUTION_CASES } from './cases/workflow-execution.ts';
import { isRefusalBy, rulesOf } from './rules.ts';
import { broken, plainLimitsOf, spelled, tellsOf } from './schema-limits.ts';

const CRD_DIRECTORY = join(import.meta.dirname, '../../../deploy/crds');
const KINDS = [
	REMEDIATION_REQUEST_CASES,
	WORKFLOW_EXECUTION_CASES,
	REMEDIATION_WORKFLOW_CASES,
	REMEDIATION_APPROVAL_CASES,
	NOTIFICATION_REQUEST_CASES,
];

/** Dates are printed as the time since then. */
const AN_AGE = expect.stringMatching(/^\d+[smhdy]/);

const crds = await readCrds(CRD_DIRECTORY);
let access: (crd: Crd) => Resources;

beforeAll(async () => {
	access = await connect();
});

it('has a table for every CRD', () => {
	expect(KINDS.map(({ kind }) => kind).toSorted()).toEqual(crds.map(({ kind }) => kind).toSorted());
});

describe.each(KINDS)('$kind', (cases: KindCases) => {
	const crd = crds.find(({ kind }) => kind === cases.kind) as Crd;
	const version = versionOf(crd);
	const refusals: Cause[] = [];
	let resources: Resources;

	beforeAll(() => {
		resources = access(crd);
	});

	function noted(answer: Answer): Answer {
		refusals.push(...(answer.code === 422 ? answer.causes : []));
		return answer;
	}

	async function stored(change: object, status?: object): Promise<CustomResource> {
		const created = accepted(await resources.create(mergePatch(cases.valid(), change) as CustomResource));
		return status ? accepted(await resources.patchStatus(created.metadata.name, { status })) : created;
	}

	it('takes an object with every field, and stores all of it', async () => {
		const { spec, status } = cases.full;
		const object = await stored({ spec }, status);
		const { body } = await resources.get(object.metadata.name);
		expect(body.spec).toEqual(mergePatch({}, spec));
		expect(body.status).toEqual(status);
	});

	it.each(cases.create)('create: $title', async ({ change, wantRefused, wantStored }) => {
		const answer = noted(await resources.create(mergePatch(cases.valid(), change) as CustomResource));
		expect(answer).toMatchObject(wantRefused ? refusal(wantRefused) : success(201, wantStored));
	});

	it.each(cases.update)('update: $title', async ({ patch, wantRefused }) => {
		const object = await stored({});
		const answer = noted(await resources.patch(object.metadata.name, patch));
		expect(answer).toMatchObject(wantRefused ? refusal(wantRefused) : success(200));
	});

	it.each(cases.status)('status: $title', async ({ before, status, wantRefused, wantStored }) => {
		const object = await stored({}, before);
		const patch = typeof status === 'function' ? status(object.metadata.name) : status;
		const answer = noted(await resources.patchStatus(object.metadata.name, { status: patch }));
		expect(answer).toMatchObject(wantRefused ? refusal(wantRefused) : success(200, wantStored));
	});

	// A patch and a replacement come to the server by different ways; the rules must hold on both.
	it.each(cases.status.filter(({ wantRefused }) => wantRefused))(
		'status, replaced as a whole: $title',
		async ({ before, status, wantRefused = /./ }) => {
			const object = await stored({}, before);
			const patch = typeof status === 'function' ? status(object.metadata.name) : status;
			const answer = noted(await resources.replaceStatus(mergePatch(object, { status: patch }) as CustomResource));
			expect(answer).toMatchObject(refusal(wantRefused));
		},
	);

	it('refuses by every CEL rule at least once in this table', () => {
		const unseen = rulesOf(crd.schema).filter((rule) => !refusals.some((cause) => isRefusalBy(rule, cause)));
		expect(unseen).toEqual([]);
	});

	describe('refuses what breaks', () => {
		const { spec, status } = cases.full;
		const created = [{ spec }, { spec: { ...spec, ...cases.instead } }].map((change) =>
			mergePatch(cases.valid(), change),
		);
		let full: CustomResource;
		beforeAll(async () => {
			full = await stored({ spec }, status);
		});

		it.each(plainLimitsOf(crd.schema).map((limit) => ({ ...limit, where: spelled(limit.path) })))(
			'$where: $rule',
			async (limit) => {
				const isOfStatus = limit.path[0] === 'status';
				const goods = isOfStatus ? [full] : (created as CustomResource[]);
				const bad = goods.map((good) => broken(limit, good)).find((found) => found !== undefined);
				if (bad === undefined) throw new Error('no example has this field: add it to full, or to instead');
				const answer = isOfStatus
					? await resources.tryReplaceStatus(full.metadata.name, bad.object)
					: await resources.tryCreate(bad.object);
				expect(answer.code, answer.message).toBe(422);
				expect(
					answer.causes.some((cause) => tellsOf(limit, bad.field, cause)),
					answer.message,
				).toBe(true);
			},
		);
	});

	it('shows something in every printer column', async () => {
		const object = await stored({ spec: cases.full.spec }, cases.full.status);
		const { body: table } = await resources.table(object.metadata.name);
		const shown = (table.columnDefinitions as { name: string; priority: number }[]).map(
			({ name, priority }, index) => ({
				name,
				priority,
				cell: table.rows[0].cells[index] as unknown,
			}),
		);
		const want = version.additionalPrinterColumns.map(({ name, type, jsonPath, priority = 0 }) => ({
			name,
			priority,
			cell: type === 'date' ? AN_AGE : asCell(valueAt(object, jsonPath)),
		}));
		expect(shown).toEqual([{ name: 'Name', priority: 0, cell: object.metadata.name }, ...want]);
	});

	it.each(version.selectableFields)('selects by $jsonPath', async ({ jsonPath }) => {
		const object = await stored({ spec: cases.full.spec }, cases.full.status);
		const field = jsonPath.slice(1);
		const value = String(valueAt(object, jsonPath));
		const { body: equal } = await resources.list({ fieldSelector: `${field}=${value}` });
		expect(equal.items.map(nameOf)).toContain(object.metadata.name);
		expect(new Set(equal.items.map((item: unknown) => valueAt(item, jsonPath)))).toEqual(new Set([value]));
		const { body: others } = await resources.list({ fieldSelector: `${field}!=${value}` });
		expect(others.items.map(nameOf)).not.toContain(object.metadata.name);
	});

	it('refuses to select by a field that is not listed', async () => {
		const { code, message } = await resources.list({ fieldSelector: 'spec.noSuchField=1' });
		expect({ code, message }).toEqual({ code: 400, message: expect.stringContaining('field label not supported') });
	});
});

function accepted({ code, message, body }: Answer): CustomResource {
	if (code >= 300) throw new Error(`the server refused what the test needs: ${code} ${message}`);
	return body as CustomResource;
}

function refusal(message: RegExp) {
	return { code: 422, message: expect.stringMatching(message) };
}

function success(code: number, body: object = {}) {
	return { code, message: '', body };
}

interface Version {
	selectableFields: { jsonPath: string }[];
	additionalPrinterColumns: { name: string; type: string; jsonPath: string; priority?: number }[];
}

function versionOf({ file, version }: Crd): Version {
	const { spec } = parse(readFileSync(join(CRD_DIRECTORY, file), 'utf8'));
	return spec.versions.find(({ name }: { name: string }) => name === version) as Version;
}

/** Also of the item of a list that has this type: `.status.conditions[?(@.type=="Ready")].status`. */
function valueAt(object: unknown, jsonPath: string): unknown {
	return jsonPath
		.slice(1)
		.split(/\.(?=\w)(?![^(]*\))/)
		.reduce((value, step) => {
			const [, key = step, type] = /^(\w+)\[\?\(@\.type=="(\w+)"\)\]$/.exec(step) ?? [];
			const found = (value as Record<string, unknown> | undefined)?.[key];
			return type === undefined ? found : (found as { type: string }[] | undefined)?.find((item) => item.type === type);
		}, object);
}

/** Lists are printed as one string. */
function asCell(value: unknown): unknown {
	return Array.isArray(value) ? JSON.stringify(value) : value;
}

function nameOf(item: CustomResource): string {
	return item.metadata.name;
}
