import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { README_URL, renderReadme } from '../generate-readme.ts';
import { BACKOFF_ERROR_CODES } from '../src/index.ts';

const readme = readFileSync(README_URL, 'utf8');

describe('the README', () => {
	it('is what `pnpm --filter @kubernaut/backoff generate` writes', async () => {
		expect(readme).toBe(await renderReadme(readme));
	});

	it.each(BACKOFF_ERROR_CODES.map((code) => ({ code })))('names $code', ({ code }) => {
		expect(readme).toContain(`\`${code}\``);
	});

	it("gives the gateway's waits in all", () => {
		expect(readme).toContain('10 attempts = 9 waits = 6.5 s');
	});

	it('without one of its markers is refused', async () => {
		const unmarked = readme.replace('<!-- generated: delays -->', '');
		await expect(renderReadme(unmarked)).rejects.toThrow('README.md has no section "delays"');
	});
});
