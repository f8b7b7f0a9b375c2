import { expect, it, vi } from 'vitest';
import { CleanUp } from './clean-up.ts';

function cleanUp() {
	const log: string[] = [];
	const exit = (code: number) => void log.push(`exit ${code}`) as never;
	return { log, made: new CleanUp(exit) };
}

it('stops what was started, the last first, and then exits', async () => {
	const { log, made } = cleanUp();
	await made.starting(Promise.resolve('a'), async (started) => log.push(`stop ${started}`));
	made.add(async () => log.push('stop b'));
	await made.end(3);
	expect(log).toEqual(['stop b', 'stop a', 'exit 3']);
});

it('ends once, with the first code', async () => {
	const { log, made } = cleanUp();
	made.add(async () => log.push('stop'));
	await Promise.all([made.end(130), made.end(1)]);
	expect(log).toEqual(['stop', 'exit 130']);
});

it('what is still starting is waited for, stopped, and not gone on with', async () => {
	const { log, made } = cleanUp();
	const { promise, resolve } = Promise.withResolvers<string>();
	const goingOn = made.starting(promise, async (started) => log.push(`stop ${started}`));
	const ending = made.end(130);
	expect(made.signal.aborted).toBe(true);
	resolve('late');
	await expect(goingOn).rejects.toThrow('aborted');
	await ending;
	expect(log).toEqual(['stop late', 'exit 130']);
});

it('what did not start needs no stop', async () => {
	const { log, made } = cleanUp();
	await expect(made.starting(Promise.reject(new Error('no')), async () => log.push('stop'))).rejects.toThrow('no');
	await made.end(1);
	expect(log).toEqual(['exit 1']);
});

it('a stop that fails is reported, does not keep the others from running, and is no success', async () => {
	const { log, made } = cleanUp();
	const reported = vi.spyOn(console, 'error').mockImplementation(() => {});
	made.add(async () => log.push('stop a'));
	made.add(() => Promise.reject(new Error('stuck')));
	await made.end(0);
	expect(log).toEqual(['stop a', 'exit 1']);
	expect(reported).toHaveBeenCalledWith('While cleaning up: stuck');
	reported.mockRestore();
});
