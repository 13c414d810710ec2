// Defines the schemas of keys and names.
import Type from 'typebox'

/** Texts that refer to a key. Like the key itself, they are put into NFC, so that it does not matter how an accent was typed. */
export const keyText = (options: Type.TStringOptions = {}) => Type.String({ maxLength: 255, nfc: true, ...options })

/**
 * Schema of keys. A key starts and ends with a visible character, so that no two keys differ only in trailing blanks,
 * which the database ignores.
 */
export const Key = keyText({
  minLength: 1,
  pattern: '^(?!\\.{1,2}$)[^\\s\\p{C}](?:[^\\p{C}]*[^\\s\\p{C}])?$',
  publish: { pattern: '^[^\\s\\p{C}](?:[^\\p{C}]*[^\\s\\p{C}])?$' },
  description: 'Unique; no blanks at its ends, no control characters, and not . or .. alone. Stored in Unicode NFC.',
})

export const Name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^(?=.*[^\\s\\p{Default_Ignorable_Code_Point}])[^\\p{Cc}]*$',
  publish: { pattern: '^[^\\p{C}]*[^\\s\\p{C}][^\\p{C}]*$' },
  description: 'Has a visible character and no control characters.',
})
