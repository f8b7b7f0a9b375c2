// `npm run images`: bundles each app, writes its notices and its bill of materials, and builds its image.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command, Option } from 'commander';
import { LOCAL_BASE_IMAGE, makeBaseImage } from './base-image.ts';
import { type BuiltImage, buildImage, pushImage } from './build-image.ts';
import { engineVersion } from './docker.ts';
import { type InstalledImage, kustomizationFile, newKustomization, withImages } from './install-kustomization.ts';
import { LOCAL_REGISTRY } from './local-name.ts';
import { APPS, type AppName, type StagedApp, stageApp } from './stage-app.ts';

type Options = {
	tag: string;
	app: AppName[];
	registry?: string;
	baseImage?: string;
	localBase?: boolean;
	push?: boolean;
	install?: string;
};

const ROOT = resolve(import.meta.dirname, '..', '..', '..');
const CONTEXT = join(ROOT, 'tools', 'images', 'dist', 'context');
const LIMIT_BYTES = 15_000_000;

const program = new Command('npm run images --')
	.description(
		`Bundles the apps and builds their images, ${LOCAL_REGISTRY}/<app>:<tag>, with the Docker engine at hand.`,
	)
	.option('--tag <tag>', 'tag of the images', 'dev')
	.addOption(new Option('--app <app...>', 'only these').choices(APPS).default([...APPS], 'all four'))
	.option('--registry <prefix>', 'name them <prefix>/<app>:<tag> instead, for a registry of yours')
	.option('--base-image <image>', 'image with Node at /usr/local/bin/node; the official one when absent')
	.option('--local-base', `without a registry: make a base image, ${LOCAL_BASE_IMAGE}, from this machine's files`)
	.option('--push', 'push them (needs --registry); without --install, as with --install install')
	.option(
		'--install <directory>',
		'put them into the kustomization there, by digest when they were pushed; it is made when there is none',
	)
	.helpOption('--help', 'this page')
	.parse();
const options = program.opts<Options>();
if (options.push && options.registry === undefined) program.error('--push needs --registry', { exitCode: 2 });
if (options.localBase && options.baseImage !== undefined)
	program.error('--local-base and --base-image exclude each other', { exitCode: 2 });

const abort = new AbortController();
for (const [name, code] of [
	['SIGINT', 130],
	['SIGTERM', 143],
	['SIGHUP', 129],
] as const)
	process.on(name, () => {
		abort.abort();
		process.exitCode = code;
	});

try {
	await main(abort.signal);
} catch (error) {
	if (abort.signal.aborted) console.error('Interrupted; images that were built stay.');
	else {
		console.error(error instanceof Error ? error.message : String(error));
		process.exitCode = 1;
	}
}

async function main(signal: AbortSignal): Promise<void> {
	const { tag, registry = LOCAL_REGISTRY } = options;
	console.log(`Docker engine ${await engineVersion()}`);
	const baseImage = options.localBase ? await makeBaseImage(signal) : options.baseImage;
	const rows: string[][] = [];
	const built: BuiltImage[] = [];
	for (const app of options.app) {
		signal.throwIfAborted();
		const staged = await stageApp(app, join(ROOT, 'apps', app), CONTEXT);
		refuseLarge(staged);
		const image = await buildImage(app, { root: ROOT, context: CONTEXT, prefix: registry, tag, baseImage, signal });
		built.push(image);
		rows.push([image.name, megabytes(staged.bytes), megabytes(image.bytes), String(staged.packages)]);
	}
	printTable([['image', 'our files', 'with Node', 'packages in it'], ...rows]);
	const installed: InstalledImage[] = [];
	for (const image of built) {
		const repository = image.name.slice(0, image.name.lastIndexOf(':'));
		const version = options.push ? { digest: await pushImage(image, signal) } : { newTag: tag };
		installed.push({ app: image.app, repository, version });
	}
	const directory = options.install ?? (options.push ? 'install' : undefined);
	if (directory !== undefined) install(directory, installed);
	else console.log('\nNext: `npm run e2e` runs them on kind; docs/install.md says how they get into a cluster.');
}

function install(named: string, images: readonly InstalledImage[]): void {
	const directory = resolve(process.env['INIT_CWD'] ?? process.cwd(), named);
	const file = kustomizationFile(directory);
	const isThere = existsSync(file);
	const before = isThere
		? readFileSync(file, 'utf8')
		: newKustomization(directory, join(ROOT, 'deploy', 'overlays', 'production'));
	mkdirSync(directory, { recursive: true });
	writeFileSync(file, withImages(before, images));
	console.log(
		isThere
			? `\n${file} has these images now; the rest of it is as it was. Next: docs/install.md, Upgrade.`
			: `\nNext: kubectl apply -k ${named}      (docs/install.md has what comes before and after)`,
	);
}

function refuseLarge({ app, bytes }: StagedApp): void {
	if (bytes > LIMIT_BYTES)
		throw new Error(`${app}: our files take ${megabytes(bytes)}, at most ${megabytes(LIMIT_BYTES)}.`);
}

function megabytes(bytes: number): string {
	return `${(bytes / 1e6).toFixed(1)} MB`;
}

function printTable(rows: readonly (readonly string[])[]): void {
	const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
	for (const row of rows)
		console.log(
			row
				.map((cell, column) => cell.padEnd(widths[column] ?? 0))
				.join('  ')
				.trimEnd(),
		);
}
