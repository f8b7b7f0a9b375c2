// Which notification reached which receiver, and how often. Judged from what the receivers recorded, not from what was sent.
import { columns } from '../columns.ts';

export type Requested = { readonly name: string; readonly subject: string; readonly phase: string };
/** For each receiver, the names of the NotificationRequests whose messages arrived, in the order of arrival. */
export type Arrived = Readonly<Record<string, readonly string[]>>;

const HEAD = ['SUBJECT', 'PHASE'];

/** One line for each notification: how often it arrived at each receiver. */
export function arrivalTable(requested: readonly Requested[], arrived: Arrived): string[] {
	const receivers = Object.entries(arrived);
	return columns([
		[...HEAD, ...receivers.map(([receiver]) => receiver.toUpperCase())],
		...requested.map(({ name, subject, phase }) => [
			subject,
			phase,
			...receivers.map(([, names]) => `${timesOf(names, name)} ×`),
		]),
	]);
}

/** Empty when each notification arrived exactly once at each receiver, and the API server says so. */
export function brokenMessagePromises(requested: readonly Requested[], arrived: Arrived): string[] {
	const names = new Set(requested.map(({ name }) => name));
	return [
		...requested.filter(({ phase }) => phase !== 'Sent').map(({ name, phase }) => `${name} is ${phase}, not Sent.`),
		...Object.entries(arrived).flatMap(([receiver, all]) => [
			...requested
				.map(({ name }) => ({ name, times: timesOf(all, name) }))
				.filter(({ times }) => times !== 1)
				.map(({ name, times }) => `${name} arrived ${times} times at ${receiver}.`),
			...[...new Set(all)]
				.filter((name) => !names.has(name))
				.map((name) => `${name} arrived at ${receiver}, and nothing asked for it.`),
		]),
	];
}

/** The shortest time between two messages, in ms; undefined with fewer than two. */
export function shortestGap(times: readonly number[]): number | undefined {
	const gaps = times.slice(1).map((at, index) => at - (times[index] ?? at));
	return gaps.length === 0 ? undefined : Math.min(...gaps);
}

function timesOf(names: readonly string[], name: string): number {
	return names.filter((one) => one === name).length;
}
