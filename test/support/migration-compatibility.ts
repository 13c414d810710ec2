// Checks that the previous version can keep running after each migration step.
import { createHash } from 'node:crypto'
import type { release } from '../../db/migrations/release.js'
import type { MigrationStep } from '../../db/migrations/step.js'

/** Clauses of ALTER TABLE that break no statement of the previous version, because they only add something or change the storage. */
const expanding = [
  /^ADD (?:COLUMN )?(?!UNIQUE|PRIMARY|CONSTRAINT|FOREIGN|FULLTEXT|SPATIAL)\w+ (?=.*\bDEFAULT\b)/is,
  /^ADD COLUMN \w+ (?!.*\bNOT NULL\b)/is,
  /^ADD (?:KEY|INDEX) /i,
  /^(?:ROW_FORMAT|KEY_BLOCK_SIZE|ALGORITHM|LOCK) ?=/i,
]

/**
 * Finds migration steps since the last release that take away something that release uses. It still runs while the next version is
 * rolled out. A step may take away what only versions up to `lastUsedBy` use, if the release is newer than that.
 */
export function migrationFaults(
  steps: readonly MigrationStep[],
  { version, lastStep, sha256 }: typeof release,
): string[] {
  const end = steps.findIndex(({ name }) => name === lastStep) + 1
  if (end === 0) return [`The step '${lastStep}', the last of version ${version}, is missing.`]
  const found = digest(steps.slice(0, end))
  const edited =
    found === sha256 ? [] : [`A step of version ${version} was edited, moved or removed (sha256 ${found}).`]
  const later = steps.slice(end)
  const faults = later.flatMap(step => {
    const clauses = takingAway(step, later)
    if (clauses.length === 0 || isAllowed(step, version)) return []
    return [`'${step.name}' takes from version ${version}: ${clauses.join('; ')}`]
  })
  return [...edited, ...faults]
}

const isAllowed = ({ lastUsedBy }: MigrationStep, version: string): boolean =>
  lastUsedBy !== undefined && isBefore(lastUsedBy, version)

/** Compares two versions. `1.0.0-rc.1` is before `1.0.0`. */
function isBefore(one: string, other: string): boolean {
  const [[number = '', suffix], [otherNumber = '', otherSuffix]] = [one.split('-'), other.split('-')]
  const order = compare(number, otherNumber)
  if (order !== 0 || suffix === otherSuffix) return order < 0
  return suffix !== undefined && (otherSuffix === undefined || compare(suffix, otherSuffix) < 0)
}

const compare = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true })

/** Returns the parts of a step that do more than add. A batch may fill a column that a step since the release has added. */
function takingAway(step: MigrationStep, later: readonly MigrationStep[]): string[] {
  if ('batch' in step) {
    const fills = new RegExp(`\\b${step.fills}\\b`)
    const added = later.some(other => 'up' in other && takingAway(other, []).length === 0 && fills.test(other.up))
    return added ? [] : ['a change of rows']
  }
  const sql = step.up.trim().replace(/\s+/g, ' ')
  if (/^CREATE TABLE /i.test(sql) || /^CREATE INDEX /i.test(sql)) return []
  const alter = /^ALTER TABLE \w+ (.*)$/i.exec(sql)
  if (!alter?.[1]) return [sql]
  return clausesOf(alter[1]).filter(clause => !expanding.some(allowed => allowed.test(clause)))
}

/** Splits the clauses of an ALTER TABLE at commas that are neither in brackets nor in quotes. */
function clausesOf(sql: string): string[] {
  const parts = sql.match(/(?:'(?:[^']|'')*'|\((?:'(?:[^']|'')*'|[^()]|\([^()]*\))*\)|[^,])+/g) ?? []
  return parts.map(part => part.trim())
}

/** Computes the SHA-256 of steps. A release records it, so that its steps cannot be edited afterwards. */
export const digest = (steps: readonly MigrationStep[]): string =>
  createHash('sha256')
    .update(JSON.stringify(steps.map(step => [step.name, 'up' in step ? step.up : 'batch'])))
    .digest('hex')
