// Checks the size and nesting of JSON texts before they are parsed.

/** The limit that a JSON text exceeds. */
export interface Excess {
  what: 'levels' | 'containers' | 'values' | 'all values' | 'items'
  max: number
}

/**
 * A list whose items can be parsed in blocks, as offsets in bytes: after its opening bracket, at the commas that end a
 * block, and at its closing bracket.
 */
export interface LongList {
  from: number
  commas: number[]
  to: number
}

/** Scans a JSON text that arrives in pieces. */
export interface JsonLook {
  /** Scans the next bytes. @returns the limit that the text exceeds, as soon as it does. */
  at(bytes: Uint8Array): Excess | undefined
  /** Lists longer than one block in the bytes scanned so far: the top-level list, or members of a top-level object. */
  readonly longLists: readonly LongList[]
}

/** Maximum nesting of lists and objects. */
const maxLevels = 100
/**
 * Maximum number of lists and objects. Each takes about 60 bytes of heap, however short its text is. 100,000 entities
 * with six fields each have 1.4 million, and a member of a name and a value takes at least ten bytes of text for each
 * container.
 */
const maxContainers = 2_000_000
/**
 * Maximum number of commas in a piece that is parsed at once: a block of a long list, or everything around the lists.
 * The largest form has 300,000.
 */
const maxValues = 500_000
/** Maximum number of commas in the whole text. A list of numbers takes 8 bytes for each. */
const maxOfAll = 6_000_000
const fewContainers = 20_000
const bytesOfContainer = 10

const quote = 0x22
const comma = 0x2c
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d

/**
 * Scans the bytes of a JSON text as they arrive, before anything is parsed: `{}` eleven million times is 32 MB of text
 * but 700 MB of objects. Invalid JSON is left to the parser.
 * @param items maximum number of items of a top-level list.
 * @param blockBytes size at which a block of a long list ends with the next item. The default takes about 5 ms to
 * parse.
 */
export function jsonBounds(items = Number.POSITIVE_INFINITY, blockBytes = 128 * 1024): JsonLook {
  let level = 0
  let size = 0
  let containers = 0
  let isInText = false
  let isEscaped = false
  let isList = false
  let listed = 0
  let all = 0
  /** Commas outside of the long lists, and in the current block. */
  let around = 0
  let inBlock = 0
  let open: (LongList & { level: number }) | undefined
  let blockFrom = 0
  const longLists: LongList[] = []

  const opens = (level: number, from: number) => {
    open = { level, from, commas: [], to: 0 }
    blockFrom = from
    inBlock = 0
  }
  const closes = (list: LongList, to: number) => {
    open = undefined
    if (list.commas.length > 0) longLists.push({ ...list, to })
    else around += inBlock
  }

  function look(bytes: Uint8Array): Excess | undefined {
    const start = size
    size += bytes.length
    const max = Math.min(maxContainers, fewContainers + size / bytesOfContainer)
    for (let at = 0; at < bytes.length; at++) {
      if (isInText) {
        if (isEscaped) {
          isEscaped = false
          continue
        }
        // Most bytes belong to strings, so these get a loop of their own.
        while (at < bytes.length && bytes[at] !== quote && bytes[at] !== backslash) at++
        if (bytes[at] === backslash) isEscaped = true
        else if (at < bytes.length) isInText = false
        continue
      }
      switch (bytes[at]) {
        case quote:
          isInText = true
          break
        case comma:
          if (isList && level === 1 && ++listed >= items) return { what: 'items', max: items }
          if (++all > maxOfAll) return { what: 'all values', max: maxOfAll }
          if ((open ? ++inBlock : ++around) > maxValues) return { what: 'values', max: maxValues }
          if (open && level === open.level && start + at - blockFrom >= blockBytes) {
            open.commas.push(start + at)
            blockFrom = start + at
            inBlock = 0
          }
          break
        case openList:
        case openObject:
          if (++level > maxLevels) return { what: 'levels', max: maxLevels }
          if (++containers > max) return { what: 'containers', max }
          if (level === 1) isList = bytes[at] === openList
          if (bytes[at] === openList && (level === 1 || (level === 2 && !isList))) opens(level, start + at + 1)
          break
        case closeList:
        case closeObject:
          if (open?.level === level) closes(open, start + at)
          level--
      }
    }
    return undefined
  }
  return {
    at: look,
    // If a list is not closed, the text around it is invalid and need not be parsed.
    get longLists() {
      return open && open.commas.length > 0 ? [...longLists, { ...open, to: size }] : longLists
    },
  }
}
