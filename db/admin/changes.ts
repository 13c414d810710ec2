// The differences between two manifests, as `apply` reports them.
import { type FormSettings, noFormSettings } from '../forms/templates/settings.js'
import { noSubjectSettings, type SubjectSettings } from '../frame/subjects/subject-settings.js'
import { noGlueSettings } from '../glue/endpoints/settings.js'
import { type Change, differences } from './differences.js'
import { byKey, comparableGlue } from './glue.js'
import type { TenantManifest } from './manifest.js'
import { groupSet } from './users.js'

/**
 * The differences between two manifests, without secrets. Clients and users are named by their ids, all else by its
 * key.
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

/** @param grouped whether the groups of a user are compared. A manifest without them leaves them as they are. */
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

/** Changes of the order of fields that are in both. Values are shown in that order. */
function newOrder(before: SubjectSettings, after: SubjectSettings): Change[] {
  const keysOf = ({ fields }: SubjectSettings, others: SubjectSettings) =>
    fields.map(({ key }) => key).filter(key => others.fields.some(other => other.key === key))
  return differences(keysOf(before, after), keysOf(after, before), '/subjects/fields')
}
