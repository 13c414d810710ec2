// Parses large JSON in blocks, so that other requests go on meanwhile.
import { randomUUID } from 'node:crypto'
import { largeWork } from '../load/cooperative-work.js'
import type { LongList } from './json-bounds.js'

/** Parses a JSON text. @param from its place in the whole text, in bytes. @throws what is wrong with it. */
export type ParsePiece = (text: string, from: number) => unknown

/**
 * Parses JSON whose long lists are parsed in blocks, so that other work gets its turn between them. The value is that of a parser
 * of the whole text; what is no JSON in one piece is none in blocks.
 * @param lists of `bytes`, see jsonBounds. @throws what `parse` throws.
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
    // A member that is given twice: the last one counts, and the first must be JSON.
    const items = filled.get(`${mark}${n}`) ?? []
    items.length = 0
    for (const [from, to] of blocksOf(list)) {
      await largeWork.turn()
      const block = parse(`[${bytes.toString('utf8', from, to)}]`, from)
      // Nothing between two commas would be an empty list.
      for (const item of Array.isArray(block) && block.length > 0 ? block : [parse('', from)]) items.push(item)
    }
  }
  return whole
}

/** The list at the top, or those in members of the object at the top. */
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
