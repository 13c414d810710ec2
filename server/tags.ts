// Declares the sections of the API description.
import type { Guide } from './guides.js'

/** The sections of the API description, in order, each with the guide to its operations and what the audit calls the things they are about. */
export const tags = {
  Tokens: { description: 'Access tokens for clients.', guide: 'frame', kind: 'client' },
  'Structure types': {
    description: 'The kinds of structural entities, with their custom fields.',
    guide: 'frame',
    kind: 'type',
  },
  'Structural entities': { description: 'The hierarchy that subjects belong to.', guide: 'frame', kind: 'entity' },
  Groups: { description: 'Named sets of structural entities.', guide: 'frame', kind: 'group' },
  Subjects: {
    description: 'The people in the structure, with their custom field values and places.',
    guide: 'frame',
    kind: 'subject',
  },
  Users: { description: 'People who work with subjects, and the groups they belong to.', guide: 'frame', kind: 'user' },
  'Subject portal': {
    description: 'Who may see a subject in the portal: the subject, and third parties that it invites.',
    guide: 'frame',
    kind: 'subject',
  },
  'Subject records': { description: 'Documents in the records of subjects.', guide: 'frame', kind: 'file' },
  'Data sets': {
    description: 'Data from providers, stored for readers, and the interface by which providers report changes.',
    guide: 'glue',
    kind: 'dataSet',
  },
  Endpoints: {
    description: 'Endpoints that tenants configure: steps that call data providers.',
    guide: 'glue',
    kind: 'endpoint',
  },
  'Form templates': {
    description: 'The forms that a tenant has, and the shape of their data.',
    guide: 'forms',
    kind: 'template',
  },
  'Form instances': {
    description: 'Forms that are kept with a subject: drafts, versions, withdrawal.',
    guide: 'forms',
    kind: 'form',
  },
  'Form pages': {
    description: 'Pages for browsers, on which people fill in forms and read them.',
    guide: 'forms',
    kind: 'form',
  },
  Extracts: { description: 'Answers from forms, for reports and data warehouses.', guide: 'forms', kind: 'form' },
  Jobs: {
    description: 'Work that continues after its request: progress, items, cancel, retry.',
    guide: 'frame',
    kind: 'job',
  },
  Events: {
    description: 'What webhooks of a tenant are sent when something changes.',
    guide: 'webhooks',
    kind: 'event',
  },
  Webhooks: {
    description: 'Receivers of events: whether they fail, and events sent again.',
    guide: 'webhooks',
    kind: 'webhook',
  },
  Audit: { description: 'Who did what, in a chain of hashes.', guide: 'privacy', kind: 'audit' },
  Accounts: { description: 'People who sign in, and their roles.', guide: 'install', kind: 'account' },
  Administration: {
    description: 'Tenants, each described as a whole by its manifest.',
    guide: 'install',
    kind: 'tenant',
  },
} as const satisfies Record<string, { description: string; guide: Guide; kind: string }>
export type Tag = keyof typeof tags

/** What the audit calls the things that operations are about, and what a schedule begins. */
export const auditKinds = [...new Set([...Object.values(tags).map(({ kind }) => kind), 'export' as const])]
