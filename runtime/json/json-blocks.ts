// Parses large JSON in blocks, so that other requests are served in between.
import { randomUUID } from 'node:crypto'
import { largeWork } from '../load/cooperative-work.js'
import type { LongList } from './json-bounds.js'

/**
 * Parses a JSON text. @param from its offset in the whole text, in bytes. @throws an error that describes the fault.
 */
export type ParsePiece = (text: string, from: number) => unknown

/**
 * Parses JSON and splits its long lists into blocks, so that other work gets a turn between them. The result is the
 * same as from parsing the whole text at once, and the same texts are rejected.
 * @param lists the long lists of `bytes`, see jsonBounds. @throws what `parse` throws.
 */
export async function parseInBlocks(bytes: Buffer, lists: readonly LongList[], parse: ParsePiece): Promise<unknown> {
  const mark = randomUUID()
  const rest: string[] = []
  let at = 0
  for (const [n, { from, to }] of lists.entries()) {
    rest.push(bytes.toString('utf8', at, from), `"${mark}${n}"`)
    at = to
  }
  const whole = parse(rest.join('') + bytes.toString('utf8', at), 0)
  const filled = new Map(holdersIn(whole).map(list => [list[0], list]))
  for (const [n, list] of lists.entries()) {
    // If a member occurs twice, the last one counts, but the first must still be valid JSON.
    const items = filled.get(`${mark}${n}`) ?? []
    items.length = 0
    for (const [from, to] of blocksOf(list)) {
      await largeWork.turn()
      const block = parse(`[${bytes.toString('utf8', from, to)}]`, from)
      // `[]` would accept nothing between two commas, so the empty text is parsed instead and fails.
      for (const item of Array.isArray(block) && block.length > 0 ? block : [parse('', from)]) items.push(item)
    }
  }
  return whole
}

/** Returns the lists that may have been split: the top-level one, or those that are members of a top-level object. */
function holdersIn(whole: unknown): unknown[][] {
  if (Array.isArray(whole)) return [whole]
  return typeof whole === 'object' && whole !== null ? Object.values(whole).filter(Array.isArray) : []
}

function* blocksOf({ from, commas, to }: LongList): Generator<[from: number, to: number]> {
  let start = from
  for (const comma of commas) {
    yield [start, comma]
    start = comma + 1
  }
  yield [start, to]
}
