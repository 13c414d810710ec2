/**
 * Matches texts against the patterns of form authors: regular expressions of JavaScript with the flag u. An automaton
 * matches them in linear time, because a pattern such as `(a|a)*b` keeps JavaScript's own engine busy for hours. safe-regex2
 * accepts such patterns, and re2js is too large for browsers.
 */

/** Longest text that a pattern is tried on, in characters. */
export const maxMatchedLength = 1_000

/** Highest number of states of a pattern. A character takes about one state, times the number of its repetitions. */
const maxStates = 500

/**
 * Highest number of nodes visited while compiling. It stops a repetition of nothing, such as `(?:a{0}){1000000000}`,
 * which adds no states.
 */
const maxVisits = 10 * maxStates

type Node =
  | { type: 'character'; test: RegExp }
  | { type: 'edge'; at: '^' | '$' }
  | { type: 'sequence' | 'choice'; nodes: Node[] }
  | { type: 'times'; node: Node; min: number; max: number }

/**
 * A state of the automaton. A state with `test` is left by a character that passes it. Others are left without a
 * character: those with `at` only at that end of the text.
 */
interface State {
  test?: RegExp
  at?: '^' | '$'
  next: number[]
}

interface Machine {
  states: readonly State[]
  start: number
}

/** Says what is wrong with a pattern, as a sentence for its author. Returns undefined for a valid pattern. */
export function patternFault(pattern: string): string | undefined {
  try {
    compile(pattern)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** True if the whole text matches the pattern. @throws Error for an invalid pattern. */
export function matches(pattern: string, text: string): boolean {
  const { states, start } = machineOf(pattern)
  const characters = [...text]
  /** Adds all states that can be reached without a character. `at` is the position in the text. */
  const withReachable = (at: number, from: Iterable<number>): Set<number> => {
    const reached = new Set<number>(from)
    // A for loop over a set also visits what is added meanwhile.
    for (const n of reached) {
      const { test, at: edge, next } = states[n] ?? { next: [] }
      const isOpen = edge === undefined || at === (edge === '^' ? 0 : characters.length)
      if (!test && isOpen) for (const each of next) reached.add(each)
    }
    return reached
  }
  let reached = withReachable(0, [start])
  for (const [n, character] of characters.entries()) {
    const next = [...reached].flatMap(each => (states[each]?.test?.test(character) ? (states[each]?.next ?? []) : []))
    if (next.length === 0) return false
    reached = withReachable(n + 1, next)
  }
  return reached.has(end)
}

/** The accepting state: a text that ends here has matched. */
const end = 0

const machines = new Map<string, Machine>()

function machineOf(pattern: string): Machine {
  const known = machines.get(pattern)
  if (known) return known
  // All patterns come from templates, and no process uses this many at a time.
  if (machines.size >= 1_000) machines.clear()
  const machine = compile(pattern)
  machines.set(pattern, machine)
  return machine
}

function compile(pattern: string): Machine {
  // Throws for anything that is not a regular expression, so the parser below need not check for it.
  new RegExp(pattern, 'u')
  const states: State[] = [{ next: [] }]
  let visits = 0
  const tooLarge = () =>
    new Error(`The pattern is too large: with all repetitions it has over ${maxStates} characters.`)
  const add = (state: State): number => {
    if (states.length >= maxStates) throw tooLarge()
    return states.push(state) - 1
  }

  /** Adds the states of a node in front of the state `next`. @returns the first of them. */
  function addBefore(next: number, node: Node): number {
    if (++visits > maxVisits) throw tooLarge()
    switch (node.type) {
      case 'character':
        return add({ test: node.test, next: [next] })
      case 'edge':
        return add({ at: node.at, next: [next] })
      case 'sequence':
        // An empty sequence takes a state too, so that the limit also stops `(?:){1000000000}`.
        return node.nodes.length === 0 ? add({ next: [next] }) : node.nodes.reduceRight(addBefore, next)
      case 'choice':
        return add({ next: node.nodes.map(each => addBefore(next, each)) })
      case 'times': {
        const { node: inner, min, max } = node
        let first = next
        if (max === Infinity) {
          const loop: State = { next: [next] }
          first = add(loop)
          loop.next.push(addBefore(first, inner))
        } else {
          for (let n = min; n < max; n++) first = add({ next: [addBefore(first, inner), next] })
        }
        for (let n = 0; n < min; n++) first = addBefore(first, inner)
        return first
      }
    }
  }

  return { start: addBefore(end, parse(pattern)), states }
}

/**
 * Matches one token of a regular expression: an escape, a class, an opening bracket, a repetition, or any other
 * character.
 */
const piece =
  /\\u[\da-f]{4}(?:(?<=\\ud[89ab]..)\\ud[c-f][\da-f]{2})?|\\u\{[\da-f]+\}|\\x[\da-f]{2}|\\p\{[^}]*\}|\\c[a-z]|\\k<[^>]*>|\\[\s\S]|\[(?:\\[\s\S]|[^\]\\])*\]|\((?:\?(?:<[a-z_$][\w$]*>|<?[=!]|[-a-z]*:))?|[*+?]\??|\{\d+(?:,\d*)?\}\??|[\s\S]/giu

function parse(pattern: string): Node {
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
    const [, sign, min, comma, max] = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??$/.exec(pieces[at] ?? '') ?? []
    if (sign === undefined && min === undefined) return node
    at++
    if (sign) return { type: 'times', node, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity }
    return { type: 'times', node, min: Number(min), max: comma ? Number(max || Infinity) : Number(min) }
  }

  return choice()
}
