/**
 * SQL that is true for a row whose stored values hold a field. Values are kept as {"key":[type,text],…}, of an array field
 * {"key":[[type,text],…]}: what stands before and after a member's name is the same for both, and inside a JSON text a quote
 * is always escaped, so only a whole member name matches.
 */
export function holdsField(column: string, key: string): { sql: string; bindings: string[] } {
  const member = `${JSON.stringify(key)}:[`
  return {
    sql: '(LOCATE(?, ??) = 1 OR LOCATE(?, ??) > 0)',
    bindings: [`{${member}`, column, `],${member}`, column],
  }
}
