// Compares two manifests for the list of changes that `apply` reports.
import { type FormSettings, noFormSettings } from '../forms/settings.js'
import { noSubjectSettings, type SubjectSettings } from '../frame/fields/subject-settings.js'
import { noGlueSettings } from '../glue/endpoints/settings.js'
import { type Change, differences } from './differences.js'
import { byKey, comparableGlue } from './glue.js'
import type { TenantManifest } from './manifest.js'
import { groupSet } from './users.js'

/**
 * Returns the differences between two manifests, without secrets. Paths name clients and users by id, and everything
 * else by key.
 */
export function changesBetween(before: TenantManifest | undefined, after: TenantManifest): Change[] {
  const given = new Map(after.users.map(({ id, groups }) => [id, groups]))
  const nothing = {
    clients: {},
    limits: {},
    subjects: comparableSubjects(noSubjectSettings),
    structuralEntities: {},
    users: {},
    userAccess: 'direct',
    glue: comparableGlue(noGlueSettings),
    forms: comparableForms(noFormSettings),
  }
  const changes = differences(
    before ? comparable(before, id => !given.has(id) || given.get(id) !== undefined) : nothing,
    comparable(after, id => given.get(id) !== undefined),
  )
  return [...changes, ...newOrder(before?.subjects ?? noSubjectSettings, after.subjects)]
}

/**
 * Converts a manifest for comparison.
 * @param grouped tells whether a user's groups are compared. They are not if the new manifest omits them, since they
 * then stay as they are.
 */
const comparable = (
  { clients, users, subjects, glue, forms, glueSecrets: _, ...rest }: TenantManifest,
  grouped: (userId: string) => boolean,
) => ({
  ...rest,
  clients: Object.fromEntries(clients.map(({ id, secret: _, ...client }) => [id, client])),
  subjects: comparableSubjects(subjects),
  glue: comparableGlue(glue),
  forms: comparableForms(forms),
  users: Object.fromEntries(
    users.map(({ id, groups = [], ...user }) => [id, grouped(id) ? { ...user, groups: groupSet(groups) } : user]),
  ),
})

const comparableForms = ({ exports = [], ...rest }: FormSettings) => ({ ...rest, exports: byKey(exports) })

const comparableSubjects = ({ fields, ...settings }: SubjectSettings) => ({
  ...settings,
  fields: Object.fromEntries(fields.map(({ key, typeKey, ...field }) => [key, { ...field, type: typeKey }])),
})

/** Returns a change if the fields that are in both manifests have another order, in which values are shown. */
function newOrder(before: SubjectSettings, after: SubjectSettings): Change[] {
  const keysOf = ({ fields }: SubjectSettings, others: SubjectSettings) =>
    fields.map(({ key }) => key).filter(key => others.fields.some(other => other.key === key))
  return differences(keysOf(before, after), keysOf(after, before), '/subjects/fields')
}
