// Fills the generated sections of README.md from the code: `pnpm --filter @kubernaut/backoff generate`.
// A section is what stands between `<!-- generated: name -->` and `<!-- /generated -->`; a test keeps them current.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
	BACKOFF_DEFAULTS,
	BACKOFF_PRESETS,
	type Backoff,
	BackoffError,
	createBackoff,
	resolveBackoffConfig,
	sleep,
} from './src/index.ts';

export const README_URL = new URL('README.md', import.meta.url);
const EXAMPLE_URL = new URL('retry-loop.example.ts', import.meta.url);

// The gateway's limit; the tables go as far as its last wait.
const ATTEMPTS = 10;
const SCHEDULES = { defaults: BACKOFF_DEFAULTS, ...BACKOFF_PRESETS };

const SECTIONS: Readonly<Record<string, () => string | Promise<string>>> = {
	example: () => ['```ts', readFileSync(EXAMPLE_URL, 'utf8').trimEnd(), '```'].join('\n'),
	config: renderConfigs,
	delays: () => Object.entries(SCHEDULES).map(renderDelays).join('\n\n'),
	errors: renderErrors,
};

export async function renderReadme(current: string): Promise<string> {
	let readme = current;
	for (const [name, render] of Object.entries(SECTIONS)) {
		const section = new RegExp(`(<!-- generated: ${name} -->\n)[^]*?(\n<!-- /generated -->)`);
		if (!section.test(readme)) throw new Error(`README.md has no section "${name}"`);
		const content = await render();
		readme = readme.replace(section, (_, start: string, end: string) => `${start}\n${content}\n${end}`);
	}
	return readme;
}

function renderConfigs(): string {
	const rows = Object.entries(SCHEDULES).map(([name, config]) => [
		`\`${name}\``,
		duration(config.basePeriodMs),
		duration(config.maxPeriodMs),
		String(config.multiplier),
		`${config.jitterPercent} %`,
	]);
	return table(['', 'basePeriodMs', 'maxPeriodMs', 'multiplier', 'jitterPercent'], rows);
}

function renderDelays([name, options]: [string, typeof BACKOFF_DEFAULTS]): string {
	const backoff = createBackoff(options);
	const rows = Array.from({ length: ATTEMPTS - 1 }, (_, index) => {
		const attempt = index + 1;
		const { minMs, periodMs, maxMs } = backoff.bounds(attempt);
		const capped = periodMs === backoff.config.maxPeriodMs ? ' (cap)' : '';
		const waited = backoff.totalBounds(attempt + 1).periodMs;
		return [
			String(attempt),
			`${duration(periodMs)}${capped}`,
			`${duration(minMs)} – ${duration(maxMs)}`,
			duration(waited),
		];
	});
	return [
		`### ${name}`,
		table(['after attempt', 'period', `wait, ± ${options.jitterPercent} %`, 'waited in all'], rows),
		renderTotal(name, backoff),
	].join('\n\n');
}

function renderTotal(name: string, backoff: Backoff): string {
	const { minMs, periodMs, maxMs } = backoff.totalBounds(ATTEMPTS);
	const whose = name === 'standard' ? 'The gateway: ' : '';
	const spread = `between ${duration(minMs)} and ${duration(maxMs)}`;
	return `${whose}${ATTEMPTS} attempts = ${ATTEMPTS - 1} waits = ${duration(periodMs)}, ${spread}.`;
}

// The messages are not written down here but provoked, one for each rule.
const MISTAKES: readonly (() => unknown)[] = [
	() => resolveBackoffConfig({ basePeriodMs: 0 }),
	() => resolveBackoffConfig({ maxPeriodMs: 100 }),
	() => resolveBackoffConfig({ multiplier: 0.5 }),
	() => resolveBackoffConfig({ jitterPercent: 100 }),
	() => createBackoff().calculate(0),
	() => createBackoff().attempts({ maxAttempts: 0 }),
	() => sleep(-1),
	() => createBackoff({}, { random: () => 2 }).calculate(1),
];

async function renderErrors(): Promise<string> {
	const rows: string[][] = [];
	for (const mistake of MISTAKES) {
		const { code, message } = await errorOf(mistake);
		rows.push([`\`${code}\``, message]);
	}
	return table(['code', 'message, for example'], rows);
}

async function errorOf(mistake: () => unknown): Promise<BackoffError> {
	try {
		await mistake();
	} catch (error) {
		if (error instanceof BackoffError) return error;
		throw error;
	}
	throw new Error(`nothing was refused by ${mistake.toString()}`);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
	const lines = [head, head.map(() => '---'), ...rows];
	return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function duration(milliseconds: number): string {
	if (milliseconds < 1_000) return `${rounded(milliseconds)} ms`;
	return `${rounded(milliseconds / 1_000)} s`;
}

function rounded(value: number): string {
	return String(Math.round(value * 100) / 100);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
	writeFileSync(README_URL, await renderReadme(readFileSync(README_URL, 'utf8')));
