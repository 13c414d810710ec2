// Defines the schemas of keys and names.
import Type from 'typebox'

/**
 * Schema of keys. A key starts and ends with a visible character, so that no two keys differ only in trailing blanks,
 * which the database ignores.
 */
export const Key = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!\\.{1,2}$)[^\\s\\p{C}](?:[^\\p{C}]*[^\\s\\p{C}])?$',
  publish: { pattern: '^[^\\s\\p{C}](?:[^\\p{C}]*[^\\s\\p{C}])?$' },
  description: 'Unique; no blanks at its ends, no control characters, and not . or .. alone.',
})

export const Name = Type.String({ minLength: 1, maxLength: 255, pattern: '\\S' })
