/** What `npm test` runs, as processes: the scenarios that end soonest and stand for the main promises. */
export const QUICK = [
	'one-request-per-incident',
	'one-execution-per-target',
	'from-alert-to-repair',
	'readable-for-people',
] as const;
