// The Alertmanager that sends alerts inside of the cluster.
import { localName } from '@kubernaut/images';
import type { LocalImage } from './node-image.ts';
import { writeProgramImage } from './program-images.ts';
import { stage, stageFile } from './stage.ts';

const NAME = localName('alertmanager:dev');

export function alertmanagerImage(program: string): LocalImage {
	return { name: NAME, archive: stageFile('alertmanager', [NAME, program]) };
}

export async function buildAlertmanagerImage(program: string): Promise<LocalImage> {
	const image = alertmanagerImage(program);
	const settings = { entrypoint: ['/alertmanager'], user: '65532:65532' };
	await stage('Making the image of Alertmanager', image.archive, (work) =>
		writeProgramImage(image.archive, { name: NAME, files: { '/alertmanager': program }, settings }, work),
	);
	return image;
}
