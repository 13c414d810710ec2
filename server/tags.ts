// Declares the sections of the API description.
import type { Guide } from './guides.js'

/** The sections of the API description, in order, each with the guide to its operations. */
export const tags = {
  Tokens: { description: 'Access tokens for clients.', guide: 'frame' },
  'Structure types': { description: 'The kinds of structural entities, with their custom fields.', guide: 'frame' },
  'Structural entities': { description: 'The hierarchy that subjects belong to.', guide: 'frame' },
  Groups: { description: 'Named sets of structural entities.', guide: 'frame' },
  Subjects: { description: 'The people in the structure, with their custom field values and places.', guide: 'frame' },
  Users: { description: 'People who work with subjects, and the groups they belong to.', guide: 'frame' },
  'Subject portal': {
    description: 'Who may see a subject in the portal: the subject, and third parties that it invites.',
    guide: 'frame',
  },
  'Subject records': { description: 'Documents in the records of subjects.', guide: 'frame' },
  'Data sets': {
    description: 'Data from providers, stored for readers, and the interface by which providers report changes.',
    guide: 'glue',
  },
  Endpoints: { description: 'Endpoints that tenants configure: steps that call data providers.', guide: 'glue' },
  'Form templates': { description: 'The forms that a tenant has, and the shape of their data.', guide: 'forms' },
  'Form instances': {
    description: 'Forms that are kept with a subject: drafts, versions, withdrawal.',
    guide: 'forms',
  },
  'Form pages': { description: 'Pages for browsers, on which people fill in forms and read them.', guide: 'forms' },
  Extracts: { description: 'Answers from forms, for reports and data warehouses.', guide: 'forms' },
  Jobs: { description: 'Work that continues after its request: progress, items, cancel, retry.', guide: 'frame' },
  Events: { description: 'What webhooks of a tenant are sent when something changes.', guide: 'webhooks' },
  Webhooks: { description: 'Receivers of events: whether they fail, and events sent again.', guide: 'webhooks' },
  Administration: { description: 'Tenants, each described as a whole by its manifest.', guide: 'install' },
} satisfies Record<string, { description: string; guide: Guide }>
export type Tag = keyof typeof tags
