// The files of one image, in a folder of the build context: bundle, notices, bill of materials.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleAppWithFiles } from '@kubernaut/bundle';
import { bundledPackages } from './bundled-packages.ts';
import { sbom } from './sbom.ts';
import { thirdPartyNotices } from './third-party-notices.ts';

export const APPS = ['gateway', 'orchestrator', 'workflow-executor', 'notification'] as const;
export type AppName = (typeof APPS)[number];

export const BUNDLE = 'main.mjs';
export const NOTICES = 'THIRD-PARTY-NOTICES.txt';
export const SBOM = 'sbom.cdx.json';

export type StagedApp = { readonly app: AppName; readonly bytes: number; readonly packages: number };

/** `context` gets a folder of the app's name, with nothing else in it. */
export async function stageApp(app: AppName, appDirectory: string, context: string): Promise<StagedApp> {
	const directory = join(context, app);
	rmSync(directory, { recursive: true, force: true });
	mkdirSync(directory, { recursive: true });
	const bundle = join(directory, BUNDLE);
	const packages = bundledPackages(await bundleAppWithFiles(appDirectory, bundle));
	const { name, version } = JSON.parse(readFileSync(join(appDirectory, 'package.json'), 'utf8')) as {
		name: string;
		version: string;
	};
	const digest = createHash('sha256').update(readFileSync(bundle)).digest('hex');
	writeFileSync(join(directory, NOTICES), thirdPartyNotices(app, packages));
	writeFileSync(
		join(directory, SBOM),
		`${JSON.stringify(sbom({ name, version, digest }, packages), undefined, '\t')}\n`,
	);
	const bytes = readdirSync(directory).reduce((sum, file) => sum + statSync(join(directory, file)).size, 0);
	return { app, bytes, packages: packages.length };
}
