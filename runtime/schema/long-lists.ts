// Shortens long lists before validation.
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Fault, maxFaults } from '../problems/problem.js'

/** A shortened value that can be validated in little time, and how to map the results to the original. */
export interface Shortened {
  value: unknown
  /** The faults of lists that exceed their maximum length. They are empty in the shortened value. */
  tooMany: readonly Fault[]
  /** Number of faulty entries that were left out. */
  leftOut: number
  /** Converts a pointer into the shortened value to one into the original. */
  original(pointer: string): string
}

type Shorten = (value: unknown, pointer: string, cuts: Cuts) => unknown

interface Cuts {
  tooMany: Fault[]
  leftOut: number
  /** The original indices of the remaining entries, keyed by the pointer of the shortened list. */
  indices: Map<string, readonly number[]>
}

interface Shape {
  properties?: Record<string, Shape>
  items?: Shape
  maxItems?: number
  anyOf?: Shape[]
  type?: string
}

/**
 * Creates a function that shortens lists and objects before validation, because the validator goes on checking every
 * entry and member even after many faults. A list longer than the maximum number of faults keeps only its faulty
 * entries. Unknown members are kept up to that maximum.
 */
export function longLists(schema: TSchema): (value: unknown) => Shortened {
  const shorten = shortenerOf(schema) ?? (value => value)
  return whole => {
    const cuts: Cuts = { tooMany: [], leftOut: 0, indices: new Map() }
    const value = shorten(whole, '', cuts)
    return { value, tooMany: cuts.tooMany, leftOut: cuts.leftOut, original: pointer => originalOf(pointer, cuts) }
  }
}

/** Returns the function that shortens values of a shape, or undefined if they have no entries or members. */
function shortenerOf(shape: Shape): Shorten | undefined {
  if (shape.anyOf) {
    const [ofObject, ofList] = ['object', 'array'].map(type => {
      const alternative = shape.anyOf?.find(each => each.type === type)
      return alternative && shortenerOf(alternative)
    })
    if (!ofObject && !ofList) return undefined
    return (value, pointer, cuts) => (Array.isArray(value) ? ofList : ofObject)?.(value, pointer, cuts) ?? value
  }
  if (shape.items) return ofEntries(shape, shape.items)
  return shape.properties && ofMembers(shape.properties)
}

function ofMembers(properties: Record<string, Shape>): Shorten {
  const members = new Map(Object.entries(properties).map(([name, member]) => [name, shortenerOf(member)]))
  return (value, pointer, cuts) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    const object: Record<string, unknown> = {}
    let unknown = 0
    for (const [name, member] of Object.entries(value)) {
      if (!members.has(name) && unknown++ >= maxFaults) continue
      const shorten = members.get(name)
      const kept = shorten ? shorten(member, `${pointer}/${name}`, cuts) : member
      // A plain assignment would fail for a member named `__proto__`.
      Object.defineProperty(object, name, { value: kept, enumerable: true, configurable: true, writable: true })
    }
    return object
  }
}

function ofEntries({ maxItems = Number.POSITIVE_INFINITY }: Shape, items: Shape): Shorten {
  const ofEntry = shortenerOf(items)
  let validator: { Check(value: unknown): boolean } | undefined
  return (value, pointer, cuts) => {
    if (!Array.isArray(value)) return value
    if (value.length > maxItems) {
      cuts.tooMany.push({ pointer, code: 'too-many', detail: `It must have at most ${maxItems} items.` })
      return []
    }
    const entries = value.length > maxFaults ? entriesAtFault(value) : value
    return ofEntry ? entries.map((entry, n) => ofEntry(entry, `${pointer}/${n}`, cuts)) : entries

    function entriesAtFault(all: readonly unknown[]): unknown[] {
      validator ??= Compile(items)
      const indices: number[] = []
      for (const [n, entry] of all.entries()) {
        if (validator.Check(entry)) continue
        if (indices.length < maxFaults) indices.push(n)
        else cuts.leftOut++
      }
      // Keeps one entry, because an empty list could break a rule that the original does not.
      if (indices.length === 0) indices.push(0)
      cuts.indices.set(pointer, indices)
      return indices.map(n => all[n])
    }
  }
}

function originalOf(pointer: string, { indices }: Cuts): string {
  if (indices.size === 0) return pointer
  let at = ''
  let original = ''
  for (const part of pointer.split('/').slice(1)) {
    original += `/${indices.get(at)?.[Number(part)] ?? part}`
    at += `/${part}`
  }
  return original
}
