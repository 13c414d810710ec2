// Schemas of keys and names.
import Type from 'typebox'

/** A key: visible from end to end, so that two keys never differ by blanks only (the database ignores those at the end). */
export const Key = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!\\.{1,2}$)[^\\s\\p{C}](?:[^\\p{C}]*[^\\s\\p{C}])?$',
  publish: { pattern: '^[^\\s\\p{C}](?:[^\\p{C}]*[^\\s\\p{C}])?$' },
  description: 'Unique; no blanks at its ends, no control characters, and not . or .. alone.',
})

export const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' })
