// A directory, one JSON file for each NotificationRequest. A reader sees the whole file or none, because it is renamed into
// place; a repetition replaces it by the same content.
import { randomUUID } from 'node:crypto';
import { accessSync, constants, statSync } from 'node:fs';
import { access, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { messageJsonOf } from '../message/message-json.ts';
import { configKey } from '../process/config-loader.ts';
import { text } from '../process/config-values.ts';
import { channelRow, notSetUp } from './channel.ts';

const KEY = 'FILE_DIRECTORY';

export const FILE = channelRow({
	keys: {
		fileDirectory: configKey({
			path: 'channels.file.directory',
			env: KEY,
			value: text,
			default: undefined,
			help: 'Directory in which the channel file writes; it must exist and be writable. Without it the channel is not set up.',
		}),
	},
	problems({ fileDirectory }) {
		if (fileDirectory === undefined) return [];
		try {
			accessSync(fileDirectory, constants.W_OK | constants.X_OK);
			return statSync(fileDirectory).isDirectory() ? [] : [`${KEY}: ${fileDirectory} is not a directory`];
		} catch (error) {
			return [`${KEY}: ${fileDirectory} is not a directory that can be written to (${codeOf(error)})`];
		}
	},
	create({ fileDirectory }) {
		return {
			name: 'file',
			key: KEY,
			receiver: () => fileDirectory,
			async send(message) {
				if (fileDirectory === undefined) return notSetUp(KEY);
				// A uid of the API server is such a name; anything else must not become a path.
				const name = message.uid.replace(/[^A-Za-z0-9-]/g, '_');
				const draft = join(fileDirectory, `.${name}.${randomUUID()}`);
				try {
					await access(fileDirectory, constants.W_OK);
					await writeSynced(draft, `${JSON.stringify(messageJsonOf(message), undefined, '\t')}\n`);
					await rename(draft, join(fileDirectory, `${name}.json`));
					return { end: 'delivered' };
				} catch (error) {
					await rm(draft, { force: true }).catch(() => {}); // the first fault is the one to report
					return {
						end: 'refused-for-now',
						reason: 'LocalFault',
						detail: `${KEY}: writing to ${fileDirectory} failed: ${codeOf(error)}`,
					};
				}
			},
		};
	},
});

async function writeSynced(path: string, content: string): Promise<void> {
	const file = await open(path, 'wx', 0o640);
	try {
		await file.writeFile(content);
		await file.sync(); // a rename may reach the disk before the content
	} finally {
		await file.close();
	}
}

function codeOf(error: unknown): string {
	return (error as NodeJS.ErrnoException).code ?? 'unknown fault';
}
