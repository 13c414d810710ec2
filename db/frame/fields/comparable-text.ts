// Compares texts as people see them.

/** Characters that nobody sees, such as zero-width spaces and soft hyphens. They come along when texts are copied. */
const invisible = /\p{Default_Ignorable_Code_Point}/gu

/** Leaves out the characters of a text that nobody sees. */
export const visibleText = (text: string): string => text.replace(invisible, '')

/**
 * Normalizes a text for comparison: to NFC, without characters that nobody sees, and without white space (as in ECMAScript's `trim`) at
 * both ends. Letter case, accents and inner white space still matter.
 */
export const comparableText = (text: string): string => visibleText(text).normalize('NFC').trim()
