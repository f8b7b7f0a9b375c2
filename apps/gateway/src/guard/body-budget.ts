// Memory of the bodies that are being read or handled, in bytes: a number of requests says little about it. A body that does
// not fit is rejected before it is read, or while it grows.
// Large bodies leave a part to small ones: a few of them would keep every single signal out for as long as they take. A
// large one that is the only one may take that part too: else the largest would never be read.

export type BodyCharge = {
	/** False when it does not fit: the charge stays as it was. */
	set(bytes: number): boolean;
	/** A second call does nothing. */
	release(): void;
};
export type BodyBudget = { open(): BodyCharge };
export type BodyBudgetObserver = { bytesInWork(bytes: number): void };

const LARGE_BYTES = 512 * 1024;
const SHARE_OF_LARGE = 0.75;

export function createBodyBudget(maxBytes: number, observer: BodyBudgetObserver): BodyBudget {
	let total = 0;
	let totalOfLarge = 0;
	const ofLarge = (bytes: number) => (bytes > LARGE_BYTES ? bytes : 0);
	return {
		open() {
			let charged = 0;
			function change(bytes: number): void {
				total += bytes - charged;
				totalOfLarge += ofLarge(bytes) - ofLarge(charged);
				charged = bytes;
				observer.bytesInWork(total);
			}
			function fits(bytes: number): boolean {
				const otherLarge = totalOfLarge - ofLarge(charged);
				if (bytes > LARGE_BYTES && otherLarge > 0 && otherLarge + bytes > maxBytes * SHARE_OF_LARGE) return false;
				return total - charged + bytes <= maxBytes;
			}
			return {
				set(bytes) {
					if (bytes > charged && !fits(bytes)) return false;
					change(bytes);
					return true;
				},
				release: () => change(0),
			};
		},
	};
}
