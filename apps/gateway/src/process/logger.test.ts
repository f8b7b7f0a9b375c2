import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';

function logged(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown>[] {
	const lines: string[] = [];
	write(createLogger('info', 'pod-0', { write: (line) => void lines.push(line) }));
	return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('createLogger', () => {
	it('writes lines of JSON with app, pod, level in words and an ISO time', () => {
		const [line] = logged((log) => log.info({ key: 'x' }, 'acquired'));
		expect(line).toMatchObject({ level: 'info', pod: 'pod-0', key: 'x', msg: 'acquired' });
		expect(line?.['app']).toEqual(expect.any(String));
		expect(new Date(String(line?.['time'])).toISOString()).toBe(line?.['time']);
	});

	it.each([
		{ token: 's3cret' },
		{ password: 's3cret' },
		{ authorization: 'Bearer s3cret' },
		{ headers: { authorization: 'Bearer s3cret' } },
		{ req: { headers: { authorization: 'Bearer s3cret' } } },
		{ user: { token: 's3cret' } },
	])('keeps the secret of %o out', (fields) => {
		const text = JSON.stringify(logged((log) => log.info(fields, 'x')));
		expect(text).not.toContain('s3cret');
		expect(text).toContain('[redacted]');
	});

	it('leaves out what is below its level', () => {
		expect(logged((log) => log.debug('x'))).toEqual([]);
	});
});
