/** The parts of the API, in the order of the description. */
export const tags = {
  Tokens: 'Access tokens for clients.',
  'Structure types': 'The kinds of structural entities, with their custom fields.',
  'Structural entities': 'The hierarchy that subjects belong to.',
  Groups: 'Named sets of structural entities.',
  Subjects: 'The people in the structure, with their custom field values and places.',
  Users: 'Those who work with subjects, and the groups they are in.',
  'Subject portal': 'Who may see a subject in the portal: itself, and third parties that it names.',
  'Subject records': 'Documents in the records of subjects.',
  'Data sets': 'What data providers know of subjects, kept for readers, and how providers say that it changed.',
  Endpoints: 'Endpoints that tenants configure: steps that call data providers.',
  'Form templates': 'The forms that a tenant has, and the shape of their data.',
  'Form instances': 'Forms that are kept with a subject: drafts, versions, withdrawal.',
  'Form pages': 'Pages for browsers, on which people fill in forms and read them.',
  Extracts: 'What was answered in forms, for reports and data warehouses.',
  Jobs: 'What goes on after its request: progress, items, cancel, retry.',
  Administration: 'Tenants, each described whole by its manifest.',
}
export type Tag = keyof typeof tags
