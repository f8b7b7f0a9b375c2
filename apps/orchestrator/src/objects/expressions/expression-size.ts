// How large a regular expression becomes when it is compiled, from its text alone: the time that a match takes grows with
// it, and so does the time that compiling takes, so that an expression must not be compiled to find out. Counted
// repetitions are what makes 256 characters large: `(.{10}){100}` is a thousand instructions.
// Guarantee: not less than the number of instructions that match something. Text that does not compile has any size.

type Group = { alternatives: number; size: number; last: number };

const COUNTED = /^\{(\d+)(,(\d*))?\}/;
// \pL, \p{Greek}, \x41, \x{10FFFF}, \123, and any other escaped character.
const ESCAPE = /^\\(?:[pP](?:\{[^}]*\}|.)|x(?:\{[^}]*\}|.{2})|[0-7]{1,3}|.)/su;
const QUOTED = /^\\Q(.*?)(?:\\E|$)/su;
// A ] that comes first is a member; [:alpha:] and escapes are members, too.
const CLASS = /^\[\^?\]?(?:\[:[^\]]*:\]|\\.|[^\]])*\]/su;
const GROUP = /^\((?:\?(?:P?<[^>]*>|[a-zA-Z-]*:))?/;
const FLAGS = /^\(\?[a-zA-Z-]*\)/;

export function expressionSize(source: string): number {
	const groups: Group[] = [newGroup()];
	const top = () => groups.at(-1) as Group;
	for (let rest = source; rest !== ''; ) {
		const [taken, act] = next(rest);
		rest = rest.slice(taken);
		act();
	}
	while (groups.length > 1) close();
	return sizeOf(top());

	function next(rest: string): readonly [taken: number, act: () => void] {
		const counted = COUNTED.exec(rest);
		if (counted !== null) return [counted[0].length, () => repeat(Number(counted[1]), counted[2], counted[3])];
		const flags = FLAGS.exec(rest);
		if (flags !== null) return [flags[0].length, () => {}];
		const group = GROUP.exec(rest);
		if (group !== null) return [group[0].length, () => groups.push(newGroup())];
		const quoted = QUOTED.exec(rest);
		if (quoted !== null) return [quoted[0].length, () => addText((quoted[1] ?? '').length)];
		const atom = ESCAPE.exec(rest) ?? CLASS.exec(rest);
		if (atom !== null) return [atom[0].length, () => add(1)];
		switch (rest.charAt(0)) {
			case ')':
				return [1, close];
			case '|':
				return [1, () => startAlternative(top())];
			case '*':
			case '+':
			case '?':
				return [1, () => add(1, top().last)];
			default:
				return [String.fromCodePoint(rest.codePointAt(0) ?? 0).length, () => add(1)];
		}
	}

	/** `before`: the operand that it belongs to, of which it becomes a part. */
	function add(size: number, before = 0): void {
		const group = top();
		group.size += size;
		group.last = before + size;
	}

	/** Of which a repetition takes the last character. */
	function addText(length: number): void {
		if (length > 1) add(length - 1);
		if (length > 0) add(1);
	}

	function repeat(min: number, range: string | undefined, maxText: string | undefined): void {
		const group = top();
		const isOpen = range !== undefined && maxText === '';
		const max = range === undefined || isOpen ? min : Number(maxText);
		// Each optional copy has an instruction that chooses it, and so has the loop of an open range.
		const size = isOpen ? group.last * Math.max(1, min) + 1 : group.last * max + Math.max(0, max - min);
		group.size += size - group.last;
		group.last = size;
	}

	function close(): void {
		if (groups.length === 1) return;
		const size = sizeOf(groups.pop() as Group) + 2; // where the group begins and ends
		add(size);
	}
}

function newGroup(): Group {
	return { alternatives: 0, size: 0, last: 0 };
}

function startAlternative(group: Group): void {
	group.alternatives++;
	group.last = 0;
}

/** Alternatives have an instruction that chooses, and what is empty has one that does nothing. */
function sizeOf({ alternatives, size }: Group): number {
	return size + 2 * alternatives + 1;
}
