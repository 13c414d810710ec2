/** Characters of a block. */
const blockLength = 64 * 1024

/** Texts in blocks of some size, for what costs something each time. */
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
