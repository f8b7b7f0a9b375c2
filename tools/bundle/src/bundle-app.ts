// One file per app: starts three times faster than its sources and needs no node_modules beside it.
// Guarantee: it holds the app, packages/ and what npm has; never another app, and never tools/.
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { withoutUnusedModels } from './without-unused-models.ts';

/** A file that left bytes in the bundle, and the files that it imports. Absolute paths. */
export type BundledFile = { readonly path: string; readonly bytes: number; readonly imports: readonly string[] };

export async function bundleApp(appDirectory: string, outfile: string): Promise<string> {
	await bundleAppWithFiles(appDirectory, outfile);
	return outfile;
}

export async function bundleAppWithFiles(appDirectory: string, outfile: string): Promise<readonly BundledFile[]> {
	const { outputFiles, metafile } = await build({
		absWorkingDir: appDirectory,
		entryPoints: [join(appDirectory, 'src', 'main.ts')],
		bundle: true,
		platform: 'node',
		target: 'node22',
		format: 'esm',
		// Not the names: errors and stacks are read by people, and keeping them beside mangled ones costs at every closure.
		minifyWhitespace: true,
		legalComments: 'none',
		plugins: [withoutUnusedModels],
		write: false,
		metafile: true,
		// Some dependencies are CommonJS and call require for node's own modules.
		banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
	});
	refuseForeignFiles(Object.keys(metafile.inputs));
	const [bundle] = outputFiles;
	if (bundle === undefined) throw new Error(`esbuild gave no output for ${appDirectory}`);
	// In place whole or not at all: another run in this checkout may be starting it.
	mkdirSync(dirname(outfile), { recursive: true });
	const draft = `${outfile}.${process.pid}`;
	writeFileSync(draft, bundle.contents);
	renameSync(draft, outfile);
	return bundledFiles(appDirectory, metafile);
}

/** What was left out because nothing uses it is not in the bundle, and not here. */
function bundledFiles(appDirectory: string, { inputs, outputs }: Metafile): BundledFile[] {
	// A plugin's own namespace stands before the path.
	const absolute = (path: string) => resolve(appDirectory, path.replace(/^[\w-]+:/, ''));
	return Object.values(outputs)
		.flatMap((output) => Object.entries(output.inputs))
		.filter(([, { bytesInOutput }]) => bytesInOutput > 0)
		.map(([path, { bytesInOutput }]) => ({
			path: absolute(path),
			bytes: bytesInOutput,
			imports: (inputs[path]?.imports ?? []).filter(({ external }) => !external).map((to) => absolute(to.path)),
		}));
}

/** Paths are relative to apps/<app>; what npm installed lies in some node_modules, also when that is linked. */
function refuseForeignFiles(paths: readonly string[]): void {
	const foreign = paths.filter((path) => /^\.\.\/(?!\.\.\/packages\/)/.test(path) && !path.includes('node_modules/'));
	if (foreign.length > 0)
		throw new Error(`An app runs without these, so they must not be in it: ${foreign.join(', ')}`);
}
