// Normalizes the letter case of member names, enum values and guids, and the characters of keys.
import type { TSchema } from 'typebox'
import { ExactNumber } from '../json/exact-number.js'
import { type Fault, pointerPart } from '../problems/problem.js'
import { storedKey } from './key.js'

/**
 * Normalizes a value to the letter case of a schema, in place. The pointers of the faults it adds are relative to that
 * value.
 */
type Rename = (value: unknown, faults: Fault[]) => unknown

interface Shape {
  type?: string
  properties?: Record<string, Shape>
  items?: Shape
  anyOf?: Shape[]
  allOf?: Shape[]
  exact?: boolean
  lowerCase?: boolean
  nfc?: boolean
  nfcNames?: boolean
  listOfOne?: boolean
  patternProperties?: Record<string, Shape>
  enum?: unknown[]
  const?: unknown
  required?: readonly string[]
  fromRead?: FromRead
}

/**
 * Converts an object in the shape of an answer to the shape of a request, so that clients can send back what they have
 * read. Only called for objects with a member that the request's schema does not have in this spelling.
 */
export type FromRead = (object: Record<string, unknown>) => void

/** Returns a member of an object, ignoring the letter case of its name. */
export function memberNamed(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null) return undefined
  const given = Object.hasOwn(object, name) ? name : Object.keys(object).find(each => isSame(each, name))
  return given === undefined ? undefined : Reflect.get(object, given)
}

/** Adds a member, unless the value is undefined or the object already has the member in any letter case. */
export function addMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined && memberNamed(object, name) === undefined) object[name] = value
}

const isSame = (name: string, other: string): boolean =>
  name.length === other.length && name.toLowerCase() === other.toLowerCase()

/**
 * Creates a function that changes member names, enum values and guids to the schema's spelling, and keys to NFC. A member
 * that occurs in two spellings is a fault. Null is removed from optional members that do not allow it. A single value
 * becomes a list where the schema says `listOfOne`. ExactNumbers become plain numbers, except where the schema keeps their
 * digits (`exact`).
 */
export function canonicalNames(schema: TSchema): (value: unknown) => { value: unknown; faults: Fault[] } {
  const rename = renamer(schema as Shape)
  return value => {
    const faults: Fault[] = []
    return { value: rename(value, faults), faults }
  }
}

function renamer(shape: Shape): Rename {
  if (shape.exact) return value => value
  if (shape.nfc) return value => (typeof value === 'string' ? storedKey(value) : plain(value))
  if (shape.anyOf) {
    const object = shape.anyOf.find(each => each.type === 'object')
    const array = shape.anyOf.find(each => each.type === 'array')
    const key = shape.anyOf.find(each => each.nfc)
    const ofObject = object ? renamer(object) : plain
    const ofArray = array ? renamer(array) : plain
    const ofText = key ? renamer(key) : plain
    return (value, faults) =>
      (typeof value === 'string' ? ofText : Array.isArray(value) ? ofArray : ofObject)(value, faults)
  }
  if (shape.items) {
    const ofItem = renamer(shape.items)
    return (value, faults) => {
      if (!Array.isArray(value) && shape.listOfOne && value !== null && value !== undefined) value = [value]
      if (!Array.isArray(value)) return plain(value)
      for (let n = 0; n < value.length; n++) {
        const known = faults.length
        const item = value[n]
        const renamed = ofItem(item, faults)
        if (renamed !== item) value[n] = renamed
        placeBelow(n, faults, known)
      }
      return value
    }
  }
  const [ofAnyName] = Object.values(shape.patternProperties ?? {})
  if (ofAnyName) return ofEachMember(renamer(ofAnyName), shape.nfcNames)
  if (shape.properties) return ofMembers(shape.properties, shape)
  if (shape.enum) return ofEnum(shape.enum)
  if (shape.lowerCase) return value => (typeof value === 'string' ? value.toLowerCase() : plain(value))
  return plain
}

function ofMembers(properties: Record<string, Shape>, { required = [], fromRead }: Shape): Rename {
  const members = Object.entries(properties).map(([name, shape]) => {
    const nullIsAbsent = !required.includes(name) && !takesNull(shape)
    return { name, rename: renamer(shape), nullIsAbsent }
  })
  // Exact names are looked up first, because most callers use the schema's spelling.
  const byName = new Map(members.map(member => [member.name, member]))
  const byLowerCase = new Map(members.map(member => [member.name.toLowerCase(), member]))
  const hasOthers = (object: object) => Object.keys(object).some(given => !byName.has(given))
  return (value, faults) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof ExactNumber)
      return plain(value)
    const object = value as Record<string, unknown>
    if (fromRead && hasOthers(object)) fromRead(object)
    for (const given of Object.keys(object)) {
      const member = byName.get(given) ?? byLowerCase.get(given.toLowerCase())
      if (!member) continue
      if (member.nullIsAbsent && object[given] === null) {
        delete object[given]
        continue
      }
      if (given !== member.name) {
        if (Object.hasOwn(object, member.name)) faults.push(duplicateMember(member.name, given))
        else object[member.name] = object[given]
        delete object[given]
      }
      const known = faults.length
      const value = object[member.name]
      const renamed = member.rename(value, faults)
      if (renamed !== value) object[member.name] = renamed
      placeBelow(member.name, faults, known)
    }
    return object
  }
}

const duplicateMember = (name: string, given: string): Fault => ({
  pointer: `/${pointerPart(given)}`,
  code: 'duplicate-member',
  detail: `The member ${name} is given twice, also as ${given}.`,
})

/** Normalizes each member of an object whose names are not known, and puts the names into NFC if they are keys (`nfcNames`). */
function ofEachMember(rename: Rename, nfcNames = false): Rename {
  return (value, faults) => {
    if (!isHolder(value) || Array.isArray(value) || value instanceof ExactNumber) return plain(value)
    for (const [given, member] of Object.entries(value)) {
      const known = faults.length
      const name = nfcNames ? storedKey(given) : given
      if (name !== given) delete value[given]
      if (name !== given && Object.hasOwn(value, name)) {
        faults.push(duplicateMember(name, given))
        continue
      }
      const renamed = rename(member, faults)
      if (name !== given || renamed !== member) value[name] = renamed
      placeBelow(pointerPart(name), faults, known)
    }
    return value
  }
}

/**
 * Prefixes the pointers of the faults from index `known` on. Doing so afterwards saves building pointers for the many
 * values without faults.
 */
function placeBelow(name: string | number, faults: Fault[], known: number): void {
  for (let n = known; n < faults.length; n++) {
    const fault = faults[n]
    if (fault) fault.pointer = `/${name}${fault.pointer}`
  }
}

/** Tells whether null is a valid value: the schema allows it or does not restrict the type. */
function takesNull({ type, anyOf, allOf, enum: allowed, const: only, properties, exact }: Shape): boolean {
  if (anyOf) return anyOf.some(takesNull)
  if (allOf) return allOf.every(takesNull)
  if (allowed) return allowed.includes(null)
  if (type === undefined) return only === undefined && !properties && !exact
  return type === 'null'
}

function ofEnum(allowed: readonly unknown[]): Rename {
  const byLowerCase = new Map(allowed.map(each => [String(each).toLowerCase(), each]))
  return value => (typeof value === 'string' ? (byLowerCase.get(value.toLowerCase()) ?? value) : plain(value))
}

/** Tells whether any part of a schema keeps the digits of its numbers (`exact`). */
export const keepsDigits = (schema: unknown): boolean =>
  typeof schema === 'object' &&
  schema !== null &&
  (('exact' in schema && schema.exact === true) || Object.values(schema).some(keepsDigits))

/**
 * Replaces all ExactNumbers in a value by plain numbers, including those that the schema does not describe. Works
 * without recursion, so deep nesting cannot overflow the stack.
 */
function plain(value: unknown): unknown {
  if (!isHolder(value)) return value
  const root: Record<string, unknown> = { value }
  const open = [root]
  for (let holder = open.pop(); holder; holder = open.pop()) {
    for (const [name, held] of Object.entries(holder)) {
      // Adding 0 turns -0 into 0.
      if (held instanceof ExactNumber) holder[name] = Number(held.text) + 0
      else if (isHolder(held)) open.push(held)
    }
  }
  return root.value
}

/** True for an object or a list; a list's members are its indices. */
const isHolder = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
