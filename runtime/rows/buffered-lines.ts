// Joins small texts into larger blocks.

/** Minimum length of a block, in characters. */
const blockLength = 64 * 1024

/**
 * Joins texts into blocks of at least 64 K characters, for consumers with a cost per block. The last block may be
 * shorter.
 */
export async function* bufferLines(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let block = ''
  for await (const text of texts) {
    block += text
    if (block.length < blockLength) continue
    yield Buffer.from(block)
    block = ''
  }
  if (block !== '') yield Buffer.from(block)
}
