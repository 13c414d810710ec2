// Bounds JSON texts before they are parsed.

/** A bound that a JSON text exceeds. */
export interface Excess {
  what: 'levels' | 'containers' | 'values' | 'all values' | 'items'
  max: number
}

/** A list whose items can be parsed in blocks: places of bytes behind its bracket, at some of its commas, and at its end. */
export interface LongList {
  from: number
  commas: number[]
  to: number
}

/** Looks at a JSON text. */
export interface JsonLook {
  /** Looks at the next bytes. @returns what is too much, as soon as it is. */
  at(bytes: Uint8Array): Excess | undefined
  /** Of the bytes so far: lists at the top, or in members of the object at the top, that are longer than a block. */
  readonly longLists: readonly LongList[]
}

/** Deepest nesting of lists and objects in each other. */
const maxLevels = 100
/**
 * Most lists and objects: each takes the heap some 60 bytes, however short its text is. 100,000 entities with six fields each have
 * 1.4 million, and no member of a name and a value has fewer bytes than ten for each.
 */
const maxContainers = 2_000_000
/**
 * Most commas in one piece that is parsed at once. The pieces are blocks of the items of long lists, and all that stands around
 * them. A form with the most options has 300,000.
 */
const maxValues = 500_000
/** Most commas in all: a list of numbers takes 8 bytes for each. */
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
 * Looks at the bytes of a JSON text as they arrive, before anything is parsed: `{}` eleven million times has 32 MB of text and
 * 700 MB of objects. The parser refuses invalid JSON.
 * @param items most items of the list that the text is. @param blockBytes after which a block of a long list ends with the next item: they are parsed in about 5 ms.
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
  /** Values around the blocks, and in the block that was begun last. */
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
        // Most bytes are in texts.
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
    // Where a list is not closed, what stands around it is no JSON: it need not be parsed.
    get longLists() {
      return open && open.commas.length > 0 ? [...longLists, { ...open, to: size }] : longLists
    },
  }
}
