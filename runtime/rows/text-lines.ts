// Splits a text into lines while it is read.

/**
 * Yields the lines of a text in UTF-8, without their ends. Only a line feed ends a line: `node:readline` also splits at U+2028 and U+2029,
 * which a text in JSON or SQL may have.
 */
export async function* textLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const piece of pieces) {
    const [first = '', ...others] = decoder.decode(piece, { stream: true }).split('\n')
    rest += first
    for (const line of others) {
      yield rest
      rest = line
    }
  }
  rest += decoder.decode()
  if (rest !== '') yield rest
}
