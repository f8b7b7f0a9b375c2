// What a copy says about itself in its head comment. Three forms, and nothing else is understood:
//   // A copy of apps/gateway/src/kube.ts.
//   // A copy of apps/gateway/src/kube.ts (ADR 2); differs in: TIMEOUT_MS, KubeClient.request.
//   // Not a copy of apps/gateway/src/distributed-lock.ts: the lock is the PipelineRun itself.
import type { Comment } from './parse.ts';

export type Head =
	| { readonly kind: 'none' }
	| { readonly kind: 'copy'; readonly of: string; readonly differsIn: readonly string[] }
	| { readonly kind: 'no-copy'; readonly of: string; readonly reason: string }
	| { readonly kind: 'unreadable'; readonly text: string };

const PATH = String.raw`(?<of>apps/[\w./-]+?\.ts)`;
const NOTE = String.raw`(?: \([^)]*\))?`;
// A full stop ends the list when nothing but a space follows: names have dots inside.
const COPY = new RegExp(String.raw`\bA copy of ${PATH}${NOTE}(?:; differs in: (?<names>.+?))?\.(?=\s|$)`);
const NO_COPY = new RegExp(String.raw`\bNot a copy of ${PATH}${NOTE}: (?<reason>.+)`);
const ATTEMPT = /\ba copy of apps\/\S*/i;
const LINE_WIDTH = 120;

export function headOf(source: string, comments: readonly Comment[]): Head {
	const text = headText(source, comments);
	const noCopy = NO_COPY.exec(text)?.groups;
	if (noCopy !== undefined) return { kind: 'no-copy', of: noCopy['of'] ?? '', reason: noCopy['reason'] ?? '' };
	const copy = COPY.exec(text)?.groups;
	if (copy !== undefined) return { kind: 'copy', of: copy['of'] ?? '', differsIn: namesIn(copy['names'] ?? '') };
	const attempt = ATTEMPT.exec(text);
	return attempt === null ? { kind: 'none' } : { kind: 'unreadable', text: attempt[0] };
}

/** The lines that say it. */
export function copyLines(of: string, differsIn: readonly string[]): string[] {
	const words = `A copy of ${of}${differsIn.length === 0 ? '' : `; differs in: ${differsIn.join(', ')}`}.`.split(' ');
	const lines: string[] = [];
	let line = '//';
	for (const word of words) {
		if (line !== '//' && line.length + 1 + word.length > LINE_WIDTH) {
			lines.push(line);
			line = '//';
		}
		line += ` ${word}`;
	}
	return [...lines, line];
}

function namesIn(list: string): string[] {
	return list
		.split(',')
		.map((name) => name.trim())
		.filter((name) => name !== '');
}

/** The comments before the first code, as one line. */
function headText(source: string, comments: readonly Comment[]): string {
	const words: string[] = [];
	let end = 0;
	for (const comment of comments) {
		if (source.slice(end, comment.start).trim() !== '') break;
		words.push(comment.value.replaceAll(/^\s*\*/gm, ''));
		end = comment.end;
	}
	return words.join(' ').replaceAll(/\s+/g, ' ').trim();
}
