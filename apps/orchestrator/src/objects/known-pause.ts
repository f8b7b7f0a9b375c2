// The pause switch as it is known: fed by the watch of its ConfigMap, and by the read before each execution.
import { version } from '../kube/object-cache.ts';
import { type ConfigMap, NOT_PAUSED, type PauseSwitch, readPauseSwitch } from './pause-switch.ts';

/** What became of the switch: `configMap` is the one that says so, or the one that was deleted. */
export type PauseChange = { readonly pause: PauseSwitch; readonly configMap: ConfigMap; readonly isDeleted: boolean };

export class KnownPause {
	readonly #onChange: (change: PauseChange) => void;
	#configMap: ConfigMap | undefined;
	#pause: PauseSwitch = NOT_PAUSED;

	constructor(onChange: (change: PauseChange) => void) {
		this.#onChange = onChange;
	}

	pausedBecause(target: string): string | undefined {
		return this.#pause.pausedBecause(target);
	}

	replaceAll([configMap]: readonly ConfigMap[], _resourceVersion = '', isRestored = false): void {
		if (configMap === undefined) return this.removed();
		if (isRestored) this.#configMap = undefined;
		this.changed(configMap);
	}

	/** An older version that arrives late changes nothing. */
	changed(configMap: ConfigMap): void {
		if (this.#configMap !== undefined && versionOf(this.#configMap) >= versionOf(configMap)) return;
		this.#configMap = configMap;
		this.#pause = readPauseSwitch(configMap);
		this.#onChange({ pause: this.#pause, configMap, isDeleted: false });
	}

	removed(): void {
		const configMap = this.#configMap;
		if (configMap === undefined) return;
		this.#configMap = undefined;
		this.#pause = NOT_PAUSED;
		this.#onChange({ pause: NOT_PAUSED, configMap, isDeleted: true });
	}
}

function versionOf({ metadata: { resourceVersion = '0' } }: ConfigMap): bigint {
	return version({ resourceVersion });
}
