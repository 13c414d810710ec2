// Splits a JSON object into its members without parsing their values.
const [quote, backslash, comma, colon] = [...'"\\,:'].map(character => character.charCodeAt(0))
const opening = new Set([...'[{'].map(character => character.charCodeAt(0)))
const closing = new Set([...']}'].map(character => character.charCodeAt(0)))

/**
 * Returns the members of a JSON object by name, each value as JSON text. Stored documents are sent this way because parsing
 * them takes four times as long.
 * @param json as `JSON.stringify` writes it, without blanks between tokens.
 */
export function membersOf(json: string): Map<string, string> {
  const members = new Map<string, string>()
  let depth = 0
  let name = ''
  let start = 1
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) at = endOfString(json, at)
    else if (opening.has(code)) depth++
    else if (closing.has(code)) depth--
    else if (depth === 1 && code === colon) {
      name = JSON.parse(json.slice(start, at))
      start = at + 1
    }
    const isOver = depth === 0 || (depth === 1 && code === comma)
    if (isOver && at > start) {
      members.set(name, json.slice(start, at))
      start = at + 1
    }
  }
  return members
}

/** Finds the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  let end = json.indexOf('"', start + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end
}

function isEscaped(json: string, at: number): boolean {
  let before = at
  while (json.charCodeAt(before - 1) === backslash) before--
  return (at - before) % 2 === 1
}
