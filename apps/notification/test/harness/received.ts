// What the receivers got, by message.
import type { ReceivedHttp } from '@kubernaut/receivers';

/** How often the body of a request names each of these. */
export function countsOf(received: readonly ReceivedHttp[], names: readonly string[]): Map<string, number> {
	return new Map(names.map((name) => [name, received.filter(({ body }) => body.includes(name)).length]));
}

/** Pauses between the answer to one request and the arrival of the next, by the receiver's clock. */
export function pausesOf(received: readonly ReceivedHttp[]): number[] {
	return received.slice(1).map(({ at }, index) => at - (received[index]?.answeredAt ?? received[index]?.at ?? 0));
}
