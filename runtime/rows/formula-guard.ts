// Keeps spreadsheets from running cells as formulas (OWASP, CSV injection).

/** Matches what spreadsheets take for a formula, also in the wide letters of Japanese, and any apostrophes in front. */
const formula = /^'*[=+\-@\t\r\n＝＋－＠]/

/**
 * Puts an apostrophe in front of a cell that a spreadsheet would run. A cell that has such an apostrophe already gets one more, so that
 * {@link unguarded} restores each.
 */
export const guarded = (cell: string): string => (formula.test(cell) ? `'${cell}` : cell)
export const unguarded = (cell: string): string => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)
