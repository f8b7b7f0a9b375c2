import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { mountedFile } from './mounted-file.ts';

let directory: string;
beforeEach(() => {
	directory = mkdtempSync(join(tmpdir(), 'mounted-file-'));
	onTestFinished(() => rmSync(directory, { recursive: true }));
});
const whole = (content: string) => ({ value: content });

describe('a mounted file', () => {
	it('is parsed once while it does not change, and again when it did', () => {
		const path = join(directory, 'file');
		let parsed = 0;
		const file = mountedFile(path, (content) => {
			parsed++;
			return { value: content };
		});
		writeFileSync(path, 'one');
		expect([file.read(), file.read()]).toEqual([{ value: 'one' }, { value: 'one' }]);
		expect(parsed).toBe(1);
		writeFileSync(path, 'two');
		expect(file.read()).toEqual({ value: 'two' });
		expect(parsed).toBe(2);
	});

	it('is another one after the kubelet swapped the directory behind it', () => {
		const volume = (name: string, content: string) => {
			mkdirSync(join(directory, name));
			writeFileSync(join(directory, name, 'key'), content);
			symlinkSync(name, join(directory, '..data_tmp'));
			renameSync(join(directory, '..data_tmp'), join(directory, '..data'));
		};
		volume('..1', 'old');
		symlinkSync('..data/key', join(directory, 'key'));
		const file = mountedFile(join(directory, 'key'), whole);
		expect(file.read()).toEqual({ value: 'old' });
		volume('..2', 'new');
		rmSync(join(directory, '..1'), { recursive: true });
		expect(file.read()).toEqual({ value: 'new' });
	});

	it('that is missing, comes and goes is a problem while it is not there', () => {
		const path = join(directory, 'file');
		const file = mountedFile(path, whole);
		const missing = { problem: `${path} cannot be read: ENOENT` };
		expect(file.read()).toEqual(missing);
		writeFileSync(path, 'here');
		expect(file.read()).toEqual({ value: 'here' });
		rmSync(path);
		expect(file.read()).toEqual(missing);
	});

	it('that is too large, or not what it should be, is a problem with its name', () => {
		const path = join(directory, 'file');
		writeFileSync(path, 'x'.repeat(1_048_577));
		expect(mountedFile(path, whole).read()).toEqual({ problem: `${path} has more than 1048576 bytes` });
		writeFileSync(path, 'x');
		expect(mountedFile(path, () => ({ problem: 'is wrong' })).read()).toEqual({ problem: `${path} is wrong` });
	});
});
