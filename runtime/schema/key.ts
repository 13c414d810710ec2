// Defines the schemas of keys and names.
import Type from 'typebox'

/** Texts that refer to a key. Like the key itself, they are put into NFC, so that it does not matter how an accent was typed. */
export const keyText = (options: Type.TStringOptions = {}) => Type.String({ maxLength: 255, nfc: true, ...options })

/** Returns a key as it is stored: in NFC. For texts that no schema describes as keys. */
export const storedKey = (text: string): string => text.normalize('NFC')

/** The form of keys. They start and end with a visible character, so that no two differ only in trailing blanks, which the database ignores. */
const form = {
  minLength: 1,
  maxLength: 255,
  pattern: '^(?!\\.{1,2}$)[^\\s\\p{C}](?:[^\\p{C}]*[^\\s\\p{C}])?$',
  publish: { pattern: '^[^\\s\\p{C}](?:[^\\p{C}]*[^\\s\\p{C}])?$' },
  description: 'Unique; no blanks at its ends, no control characters, and not . or .. alone.',
}

export const Key = keyText({ ...form, description: `${form.description} Stored in Unicode NFC.` })

/** An id that another system has chosen, which is stored as it is. */
export const ForeignId = Type.String(form)

export const Name = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^(?=.*[^\\s\\p{Default_Ignorable_Code_Point}])[^\\p{Cc}]*$',
  publish: { pattern: '^[^\\S\\p{C}]*[^\\s\\p{C}][^\\p{C}]*$' },
  description: 'It has a visible character, and no control characters.',
})
