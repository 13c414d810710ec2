/**
 * Patterns of texts: regular expressions of JavaScript with the flag u. An automaton matches them in linear time,
 * because `(a|a)*b` takes hours in JavaScript's engine. safe-regex2 accepts such patterns; re2js is too large for
 * browsers.
 */

/** Longest text that a pattern is tried on, in characters. */
export const maxMatchedLength = 1_000

/** Most states of a pattern: a character is about one, in each of the times that it is repeated. */
const maxStates = 500

/** Most pieces that are looked at to find the states: a repetition of nothing, such as `(?:a{0}){1000000000}`, adds none. */
const maxVisits = 10 * maxStates

type Node =
  | { type: 'character'; test: RegExp }
  | { type: 'edge'; at: '^' | '$' }
  | { type: 'sequence' | 'choice'; nodes: Node[] }
  | { type: 'times'; node: Node; least: number; most: number }

/** A place in the pattern. From one with a test or an edge the way goes on only where that holds. */
interface State {
  test?: RegExp
  at?: '^' | '$'
  next: number[]
}

interface Machine {
  states: readonly State[]
  start: number
}

/** The fault of a pattern, as a sentence for its author; undefined where it can be used. */
export function patternFault(pattern: string): string | undefined {
  try {
    compile(pattern)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** True where the whole text matches. @throws Error for a pattern with a fault. */
export function matches(pattern: string, text: string): boolean {
  const { states, start } = machineOf(pattern)
  const characters = [...text]
  const arrived = (at: number, from: Iterable<number>): Set<number> => {
    const reached = new Set<number>(from)
    // A set that grows is walked to its new end.
    for (const n of reached) {
      const { test, at: edge, next } = states[n] ?? { next: [] }
      const isOpen = edge === undefined || at === (edge === '^' ? 0 : characters.length)
      if (!test && isOpen) for (const each of next) reached.add(each)
    }
    return reached
  }
  let reached = arrived(0, [start])
  for (const [n, character] of characters.entries()) {
    const next = [...reached].flatMap(each => (states[each]?.test?.test(character) ? (states[each]?.next ?? []) : []))
    if (next.length === 0) return false
    reached = arrived(n + 1, next)
  }
  return reached.has(end)
}

/** The state in which a text has matched. */
const end = 0

const machines = new Map<string, Machine>()

function machineOf(pattern: string): Machine {
  const known = machines.get(pattern)
  if (known) return known
  // Only templates have patterns; this many are not in use at a time.
  if (machines.size >= 1_000) machines.clear()
  const machine = compile(pattern)
  machines.set(pattern, machine)
  return machine
}

function compile(pattern: string): Machine {
  // Refuses what is no regular expression at all, so that what follows need not.
  new RegExp(pattern, 'u')
  const states: State[] = [{ next: [] }]
  let visits = 0
  const tooLarge = () =>
    new Error(`The pattern is too large: with all repetitions it has over ${maxStates} characters.`)
  const add = (state: State): number => {
    if (states.length >= maxStates) throw tooLarge()
    return states.push(state) - 1
  }

  /** Adds the states of a node before that which follows it. @returns the first. */
  function before(next: number, node: Node): number {
    if (++visits > maxVisits) throw tooLarge()
    switch (node.type) {
      case 'character':
        return add({ test: node.test, next: [next] })
      case 'edge':
        return add({ at: node.at, next: [next] })
      case 'sequence':
        // An empty one is a state too, or nothing would stop `(?:){1000000000}`.
        return node.nodes.length === 0 ? add({ next: [next] }) : node.nodes.reduceRight(before, next)
      case 'choice':
        return add({ next: node.nodes.map(each => before(next, each)) })
      case 'times': {
        const { node: inner, least, most } = node
        let first = next
        if (most === Infinity) {
          const loop: State = { next: [next] }
          first = add(loop)
          loop.next.push(before(first, inner))
        } else {
          for (let n = least; n < most; n++) first = add({ next: [before(first, inner), next] })
        }
        for (let n = 0; n < least; n++) first = before(first, inner)
        return first
      }
    }
  }

  return { start: before(end, parsed(pattern)), states }
}

/** Pieces of a pattern that is a regular expression: an escape, a class, a bracket, a repetition, any other character. */
const piece =
  /\\u[\da-f]{4}(?:(?<=\\ud[89ab]..)\\ud[c-f][\da-f]{2})?|\\u\{[\da-f]+\}|\\x[\da-f]{2}|\\p\{[^}]*\}|\\c[a-z]|\\k<[^>]*>|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?:<[a-z_$][\w$]*>|<?[=!]|[-a-z]*:))?|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]/giu

function parsed(pattern: string): Node {
  const pieces = pattern.match(piece) ?? []
  let at = 0

  function choice(): Node {
    const nodes = [sequence()]
    while (pieces[at] === '|') {
      at++
      nodes.push(sequence())
    }
    return nodes.length === 1 && nodes[0] ? nodes[0] : { type: 'choice', nodes }
  }

  function sequence(): Node {
    const nodes: Node[] = []
    for (let text = pieces[at]; text !== undefined && text !== '|' && text !== ')'; text = pieces[at]) {
      at++
      nodes.push(repeated(atom(text)))
    }
    return { type: 'sequence', nodes }
  }

  function atom(text: string): Node {
    if (text === '^' || text === '$') return { type: 'edge', at: text }
    const isUnknown = /^\\[1-9kb]/i.test(text) || (/^\(\?/.test(text) && !/^\(\?(?:<[^=!]|:)/.test(text))
    if (isUnknown)
      throw new Error(`The pattern has ${text}: looking ahead or back, \\b and references to groups are not known.`)
    if (!text.startsWith('(')) return { type: 'character', test: new RegExp(`^${text}$`, 'u') }
    const inner = choice()
    at++
    return inner
  }

  function repeated(node: Node): Node {
    const [, sign, least, comma, most] = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??$/.exec(pieces[at] ?? '') ?? []
    if (sign === undefined && least === undefined) return node
    at++
    if (sign) return { type: 'times', node, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : Infinity }
    return { type: 'times', node, least: Number(least), most: comma ? Number(most || Infinity) : Number(least) }
  }

  return choice()
}
