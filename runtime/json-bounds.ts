/** Most items of a list, at the top of a JSON text or in a member of the object at its top. */
export interface JsonBounds {
  /** Of the list that the text is. */
  items?: number | undefined
  /** Of the lists in members of the object that the text is, by their names in lower case. */
  members?: ReadonlyMap<string, { name: string; items: number }>
}

/** A bound that a JSON text exceeds. */
export type Excess = { what: 'levels' | 'containers'; most: number } | { what: 'items'; most: number; pointer: string }

/** Deepest nesting of lists and objects in each other. */
const mostLevels = 100
/**
 * Most lists and objects: each takes the heap some 60 bytes, however short its text is. 100,000 entities with six fields each have
 * 1.4 million, and no member of a name and a value has fewer bytes than ten for each.
 */
const mostContainers = 2_000_000
const fewContainers = 20_000
const bytesOfContainer = 10

const quote = 0x22
const comma = 0x2c
const openList = 0x5b
const backslash = 0x5c
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
/** Of the members whose lists are counted. */
const longestName = 64

/**
 * Looks at the bytes of a JSON text as they arrive, before anything is parsed: `{}` eleven million times has 32 MB of text and
 * 700 MB of objects. The parser refuses invalid JSON.
 * @returns a function that takes the next bytes, and says what is too much as soon as it is.
 */
export function jsonBounds({ items, members }: JsonBounds): (bytes: Uint8Array) => Excess | undefined {
  let level = 0
  let size = 0
  let containers = 0
  let isInText = false
  let isEscaped = false
  /** The text that was read last in the object at the top: the name, when a list begins. */
  let name = ''
  let isName = false
  let isListOfItems = false
  /** The list whose items are counted, with the level of its commas. */
  let counted: { level: number; most: number; pointer: string } | undefined
  let commas = 0

  const begins = (level: number, isList: boolean) => {
    if (level === 1) isListOfItems = isList
    if (level === 2 && isListOfItems) return
    const member = level === 2 ? members?.get(name.toLowerCase()) : undefined
    const most = level === 1 ? items : member?.items
    counted = isList && most !== undefined ? { level, most, pointer: member ? `/${member.name}` : '' } : undefined
    commas = 0
  }

  return bytes => {
    size += bytes.length
    const most = Math.min(mostContainers, fewContainers + size / bytesOfContainer)
    for (let at = 0; at < bytes.length; at++) {
      if (isInText) {
        // Most bytes are in texts.
        for (; at < bytes.length; at++) {
          const byte = bytes[at]
          if (isEscaped) isEscaped = false
          else if (byte === backslash) isEscaped = true
          else if (byte === quote) {
            isInText = false
            isName = false
            break
          } else if (isName && name.length < longestName) name += String.fromCharCode(byte ?? 0)
        }
        continue
      }
      switch (bytes[at]) {
        case quote:
          isInText = true
          isName = level === 1 && members !== undefined && !isListOfItems
          if (isName) name = ''
          break
        case comma:
          if (counted && level === counted.level && ++commas >= counted.most)
            return { what: 'items', most: counted.most, pointer: counted.pointer }
          break
        case openList:
        case openObject:
          if (++level > mostLevels) return { what: 'levels', most: mostLevels }
          if (++containers > most) return { what: 'containers', most }
          if (level <= 2) begins(level, bytes[at] === openList)
          break
        case closeList:
        case closeObject:
          level--
      }
    }
    return undefined
  }
}
