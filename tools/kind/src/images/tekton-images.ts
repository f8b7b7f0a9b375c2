// Tekton's images, each one program of its module on an empty file system, and a busybox for the steps of pipelines.
import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { partVersion } from '@kubernaut/control-plane';
import { localName } from '@kubernaut/images';
import { runProgram } from '../run-program.ts';
import { debianRoot, debianRootFile } from './debian-root.ts';
import type { LocalImage } from './node-image.ts';
import { type ProgramImage, writeProgramImage } from './program-images.ts';
import { TEKTON_IMAGE_PARTS, type TektonImagePrograms } from './programs.ts';
import { stage, stageFile } from './stage.ts';

const RECIPE = '1';
export const BUSYBOX_IMAGE = localName('busybox:dev');
/** Part → command of Tekton's module, as its own manifests refer to it: ko://github.com/tektoncd/pipeline/cmd/<command>. */
export const TEKTON_COMMANDS = Object.fromEntries(
	TEKTON_IMAGE_PARTS.map((part) => [part, part.replace('tekton-', '')]),
) as Record<(typeof TEKTON_IMAGE_PARTS)[number], string>;

export function tektonImageName(command: string): string {
	return localName(`tekton-${command}:${partVersion('tekton-controller')}`);
}

export async function buildTektonImages(programs: TektonImagePrograms): Promise<LocalImage[]> {
	const images = tektonImages(programs);
	for (const [i, part] of TEKTON_IMAGE_PARTS.entries()) {
		const { name, archive } = images[i]!;
		const image = tektonImage(name, TEKTON_COMMANDS[part], programs[part]);
		await stage(`Making the image of ${part}`, archive, (work) => writeProgramImage(archive, image, work));
	}
	return images;
}

export function tektonImages(programs: TektonImagePrograms): LocalImage[] {
	return TEKTON_IMAGE_PARTS.map((part) => {
		const name = tektonImageName(TEKTON_COMMANDS[part]);
		return { name, archive: stageFile(part, [RECIPE, name, programs[part]]) };
	});
}

export function busyboxImage(): LocalImage {
	return { name: BUSYBOX_IMAGE, archive: stageFile('busybox', [RECIPE, BUSYBOX_IMAGE, debianRootFile()]) };
}

/** Where ko puts a program, which is where Tekton itself looks for its entrypoint. */
function tektonImage(name: string, command: string, program: string): ProgramImage {
	const path = `/ko-app/${command}`;
	return { name, files: { [path]: program }, settings: { entrypoint: [path], user: '65532:65532' } };
}

/** Statically linked, from Debian's package: a shell and the usual small programs. */
export async function buildBusyboxImage(options: { signal?: AbortSignal } = {}): Promise<LocalImage> {
	const debian = await debianRoot(options);
	const { archive } = busyboxImage();
	await stage('Making the image of busybox', archive, async (work) => {
		await runProgram(['tar', '-C', work, '-xf', debian, './usr/bin/busybox'], options).catch(() =>
			runProgram(['tar', '-C', work, '-xf', debian, './bin/busybox'], options),
		);
		const program = (await runProgram(['find', work, '-name', 'busybox', '-type', 'f'])).split('\n')[0]!;
		const commands = (await runProgram([program, '--list'])).split('\n').filter((name) => name !== 'busybox');
		const image: ProgramImage = {
			name: BUSYBOX_IMAGE,
			files: { '/bin/busybox': program },
			settings: { entrypoint: ['/bin/sh'], user: '65532:65532' },
			prepare: (root) => {
				for (const name of commands) symlinkSync('busybox', join(root, 'bin', name));
				mkdirSync(join(root, 'home'), { recursive: true });
				chmodSync(join(root, 'home'), 0o1777);
			},
		};
		await writeProgramImage(archive, image, join(work));
	});
	return { name: BUSYBOX_IMAGE, archive };
}
