// From the names in a schema to the names in TypeScript.

/** signalType → SignalType */
export function pascalCase(name: string): string {
	return name.charAt(0).toUpperCase() + name.slice(1);
}

/** RemediationRequest → remediation-request */
export function kebabCase(name: string): string {
	return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
}

/** RemediationRequestPhase → REMEDIATION_REQUEST_PHASE */
export function constantCase(name: string): string {
	return kebabCase(name).replaceAll('-', '_').toUpperCase();
}

/** Priority → Priorities, Status → Statuses, Phase → Phases */
export function plural(name: string): string {
	if (/[^aeiou]y$/i.test(name)) return `${name.slice(0, -1)}ies`;
	return /(?:s|x|ch|sh)$/i.test(name) ? `${name}es` : `${name}s`;
}

/** conditions → condition, deliveries → delivery */
export function singular(name: string): string {
	return name.endsWith('ies') ? `${name.slice(0, -3)}y` : name.replace(/s$/, '');
}
