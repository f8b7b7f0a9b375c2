// Lines of a stream of bytes. The newline is looked for in the bytes and a line is decoded once, when it is complete, so
// that memory holds one line and the chunk it ends in, however long the stream is.

const NEWLINE = 0x0a;

/** A rest without a newline is no line: the stream broke inside it. `onChunk` is called for each arrival of bytes. */
export async function* linesOf(body: AsyncIterable<Buffer>, onChunk: () => void = () => {}): AsyncGenerator<string> {
	let begun: Buffer[] = [];
	for await (const chunk of body) {
		onChunk();
		let start = 0;
		for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
			const last = chunk.subarray(start, end);
			const line = begun.length === 0 ? last : Buffer.concat([...begun, last]);
			begun = [];
			start = end + 1;
			yield line.toString();
		}
		if (start < chunk.length) begun.push(chunk.subarray(start));
	}
}
