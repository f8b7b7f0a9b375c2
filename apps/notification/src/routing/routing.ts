// The routing file, read again when it changes. Guarantee: a file that is not valid changes nothing; the rules that were read
// last stay, and the reason is reported once for each version of the file.
import type { NotificationRequestChannel } from '../generated/notification-request.ts';
import { type MountedFile, mountedFile } from '../mounted/mounted-file.ts';
import type { Clock } from '../process/clock.ts';
import type { Check } from '../process/health-server.ts';
import {
	channelsFor,
	LOG_ONLY,
	type MissingKey,
	parseRouting,
	type Routed,
	type RoutingRules,
} from './routing-rules.ts';

/** The kubelet itself needs up to a minute. */
const LOOK_EVERY_MS = 2000;

export type RoutingObserver = {
	/** New rules are in use. */
	loaded(event: { readonly rules: number }): void;
	/** The file was not taken; the rules before it stay in use. */
	rejected(event: { readonly problem: string }): void;
};
type Options = {
	readonly missingKey: MissingKey;
	readonly observer: RoutingObserver;
	readonly clock: Pick<Clock, 'setTimer'>;
};

export class Routing {
	readonly #file: MountedFile<RoutingRules> | undefined;
	readonly #observer: RoutingObserver;
	readonly #clock: Pick<Clock, 'setTimer'>;
	#rules = LOG_ONLY;
	#last: ReturnType<MountedFile<RoutingRules>['read']> | undefined;
	#problem: string | undefined;
	#cancel: (() => void) | undefined;

	/** Follows the file until `stop`. `problem` says why it is not valid at the start: then do not start. */
	constructor(path: string | undefined, { missingKey, observer, clock }: Options) {
		this.#file = path === undefined ? undefined : routingFile(path, missingKey);
		this.#observer = observer;
		this.#clock = clock;
		this.#look();
		if (this.#file !== undefined) this.#lookLater();
	}

	/** Why the file that is there now is not in use. */
	get problem(): string | undefined {
		return this.#problem;
	}

	channelsFor(spec: Routed): readonly NotificationRequestChannel[] {
		return channelsFor(this.#rules, spec);
	}

	/** Rules are in use in any case, so it never fails; a file that was not taken shows in the message. */
	check(): Check {
		const rules = this.#file === undefined ? 'no file: every message goes to log' : `${this.#rules.length} rules`;
		return {
			name: 'routing',
			ok: true,
			message: this.#problem === undefined ? rules : `${rules} of the last valid file; rejected: ${this.#problem}`,
		};
	}

	stop(): void {
		this.#cancel?.();
	}

	#lookLater(): void {
		this.#cancel = this.#clock.setTimer(() => {
			this.#look();
			this.#lookLater();
		}, LOOK_EVERY_MS);
	}

	#look(): void {
		const read = this.#file?.read();
		if (read === undefined || read === this.#last) return;
		this.#last = read;
		const before = this.#problem;
		this.#problem = 'problem' in read ? read.problem : undefined;
		if ('value' in read) {
			this.#rules = read.value;
			this.#observer.loaded({ rules: read.value.length });
		} else if (read.problem !== before) this.#observer.rejected({ problem: read.problem });
	}
}

/** A sentence when the file cannot be used. */
export function routingProblem(path: string, missingKey: MissingKey): string | undefined {
	const read = routingFile(path, missingKey).read();
	return 'problem' in read ? read.problem : undefined;
}

function routingFile(path: string, missingKey: MissingKey): MountedFile<RoutingRules> {
	return mountedFile(path, (text) => {
		const parsed = parseRouting(text, missingKey);
		return 'problems' in parsed ? { problem: `is not valid: ${parsed.problems.join('; ')}` } : { value: parsed.rules };
	});
}
