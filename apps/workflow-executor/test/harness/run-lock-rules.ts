// Rules of the lock contract that have another form for an object without expiry (docs/adr/0016): cost, lost answers, names, sweeping.
// Each with locks that have one bug, which it must reject.
import { expect } from 'vitest';
import { type RunEngine, runName } from '../../src/objects/run-engine.ts';
import { pipelineRunManifest } from '../../src/objects/tekton-manifest.ts';
import { acquired, type Bug, openRunLock, released, storedExecution, wantedRun } from './run-lock.ts';
import type { World } from './world.ts';

export type RunLockRule = {
	readonly id: 'L3' | 'L12' | 'L15' | 'L16';
	readonly fact: string;
	check(world: World, bug?: Bug): Promise<void>;
	readonly mutants: readonly { readonly name: string; readonly bug: Bug }[];
};

let count = 0;
const freshTarget = () => `shop/Deployment/app-${count++}`;
const withEngine = (change: (engine: RunEngine) => Partial<RunEngine>): Bug => ({
	engine: (engine) => ({ ...engine, ...change(engine) }),
});
/** Targets that a careless name would make one. */
const similarTargets = (name = `cart-${count++}`) =>
	['shop/Deployment', 'shop/StatefulSet', 'market/Deployment', 'Node'].map((where) => `${where}/${name}`);
/** Knows the target of every run that it was asked to create, by the name that it should have. */
const knowingTargets = (
	change: (engine: RunEngine, targets: Map<string, string>) => Pick<RunEngine, 'create' | 'get'>,
): Bug =>
	withEngine((engine) => {
		const targets = new Map<string, string>();
		const changed = change(engine, targets);
		return {
			...changed,
			create(run) {
				targets.set(run.name, run.lockKey);
				return changed.create(run);
			},
		};
	});
const lastPart = (target = '') => runName(target.slice(target.lastIndexOf('/')));

export const RUN_LOCK_RULES: readonly RunLockRule[] = [
	{
		id: 'L3',
		fact: 'uncontended, acquiring is a create and a claim; releasing a run that is over is a delete and the finalizer',
		async check(world, bug) {
			const execution = await storedExecution(world, freshTarget());
			await using opened = openRunLock(world, bug);
			const { run } = await acquired(opened, execution);
			expect(opened.calls).toEqual(['create pipelineruns', 'patch workflowexecutions/status']);
			await opened.engine.start(run);
			await world.untilRun(execution.target, (found) => expect(found?.['status']?.completionTime).toBeDefined());
			opened.calls.length = 0;
			await released(opened, execution.target);
			const writes = opened.calls.filter((call) => !/^(?:get|list) /.test(call));
			expect(writes).toEqual(['delete pipelineruns', 'patch pipelineruns']);
		},
		mutants: [
			{
				name: 'looks before it creates',
				bug: withEngine((engine) => ({
					create: async (run) => ((await engine.get(run.name)) === undefined ? engine.create(run) : 'exists'),
				})),
			},
			{
				name: 'deletes at every step of the release',
				bug: withEngine((engine) => ({
					look: async (run) => {
						await engine.remove(run, 'inForeground');
						return engine.look(run);
					},
				})),
			},
		],
	},
	{
		id: 'L12',
		fact: 'a create or a claim whose answer was lost is found again by the next attempt, of any replica',
		async check(world, bug) {
			for (const lost of ['create pipelineruns', 'patch workflowexecutions/status']) {
				const execution = await storedExecution(world, freshTarget());
				await using first = openRunLock(world, { ...bug, loseAnswerOf: lost });
				await expect(first.lock.tryAcquire(execution, wantedRun(world, execution))).rejects.toMatchObject({
					kind: 'timeout',
				});
				const made = await world.run(execution.target);
				await using second = openRunLock(world, bug);
				const { run, execution: claimed } = await acquired(second, execution);
				expect([run.uid, claimed.run?.uid]).toEqual([made?.['metadata'].uid, made?.['metadata'].uid]);
			}
		},
		mutants: [
			{
				name: 'does not recognise the run that it made',
				bug: withEngine((engine) => ({
					async get(name) {
						const run = await engine.get(name);
						return run?.owner === undefined ? run : { ...run, owner: { ...run.owner, uid: 'of another' } };
					},
				})),
			},
		],
	},
	{
		id: 'L15',
		fact: 'targets that differ are different locks, a run says which target it locks, and one of another target is never touched',
		async check(world, bug) {
			await using opened = openRunLock(world, bug);
			for (const target of similarTargets()) {
				const { run } = await acquired(opened, await storedExecution(world, target));
				expect(run.name).toMatch(/^wfe-[0-9a-f]{16}$/);
				expect(run.lockKey).toBe(target);
			}
			// Two targets with one hash, as rare as that is.
			const [target, other] = [freshTarget(), freshTarget()];
			const execution = await storedExecution(world, target);
			const theirs = wantedRun(world, await storedExecution(world, other));
			const body = pipelineRunManifest({ ...theirs, name: runName(target) }, world.workflows);
			const planted = await world.api.call('POST', world.runsPath, { body });
			expect(await opened.lock.tryAcquire(execution, wantedRun(world, execution))).toMatchObject({
				outcome: 'contended',
				standing: { is: 'busy', heldBy: `PipelineRun ${runName(target)}` },
			});
			expect((await world.run(target))?.['metadata']).toMatchObject({
				uid: planted['metadata'].uid,
				resourceVersion: planted['metadata'].resourceVersion,
			});
		},
		mutants: [
			{
				name: 'the name is made of the last part of the target',
				bug: knowingTargets((engine, targets) => ({
					create: (run) => engine.create({ ...run, name: lastPart(run.lockKey) }),
					get: (name) => engine.get(lastPart(targets.get(name))),
				})),
			},
			{
				name: 'the target that a run says is not compared',
				bug: knowingTargets((engine, targets) => ({
					create: engine.create,
					async get(name) {
						const run = await engine.get(name);
						return run === undefined ? run : { ...run, lockKey: targets.get(name) };
					},
				})),
			},
		],
	},
	{
		id: 'L16',
		fact: 'a run whose execution is gone is removed to its end, and a late removal leaves the run of the next execution in place',
		async check(world, bug) {
			const target = freshTarget();
			await using opened = openRunLock(world, bug);
			const gone = wantedRun(world, {
				...(await storedExecution(world, target)),
				name: 'we-gone',
				uid: 'uid-of-we-gone',
			});
			await opened.engine.create(gone);
			const orphan = await opened.lock.inspect(target);
			expect(orphan?.holder).toBeUndefined();
			await released(opened, target);
			expect(await world.run(target)).toBeUndefined();
			const { run } = await acquired(opened, await storedExecution(world, target));
			if (orphan !== undefined) await opened.lock.release(orphan);
			const after = await world.run(target);
			expect(after?.['metadata'].uid).toBe(run.uid);
			expect(after?.['metadata'].deletionTimestamp).toBeUndefined();
		},
		mutants: [
			{ name: 'does not remove', bug: withEngine(() => ({ remove: async () => 'removing' })) },
			{
				name: 'removes by name',
				bug: withEngine((engine) => ({
					async remove(run, how) {
						const current = await engine.get(run.name);
						return current === undefined ? 'gone' : engine.remove(current, how);
					},
				})),
			},
		],
	},
];
