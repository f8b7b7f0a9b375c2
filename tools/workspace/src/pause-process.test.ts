import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pauseProcess, standsStill } from './pause-process.ts';

// Answers every byte, from a thread of its own beside the main one.
const ECHO = "process.stdin.on('data', (bytes) => process.stdout.write(bytes)); setInterval(() => {}, 1);";

describe('a process that is paused', () => {
	it('stands still at once, and goes on after SIGCONT', async () => {
		const child = spawn(process.execPath, ['-e', ECHO], { stdio: ['pipe', 'pipe', 'inherit'] });
		onTestFinished(() => void child.kill('SIGKILL'));
		const pid = child.pid!;
		child.stdin.write('a');
		await once(child.stdout, 'data');
		expect(standsStill(pid)).toBe(false);
		for (let round = 0; round < 20; round++) {
			await pauseProcess(pid);
			expect(standsStill(pid)).toBe(true);
			let answered = false;
			child.stdout.once('data', () => (answered = true));
			child.stdin.write('b');
			await new Promise((resolve) => setTimeout(resolve, 5));
			expect(answered).toBe(false);
			process.kill(pid, 'SIGCONT');
			await expect.poll(() => answered).toBe(true);
		}
		child.kill('SIGKILL');
		await once(child, 'exit');
		expect(standsStill(pid)).toBe(true);
		await pauseProcess(pid); // it needs no pause any more
	});
});
