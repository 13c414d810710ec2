/** The sections of the API description, in order. */
export const tags = {
  Tokens: 'Access tokens for clients.',
  'Structure types': 'The kinds of structural entities, with their custom fields.',
  'Structural entities': 'The hierarchy that subjects belong to.',
  Groups: 'Named sets of structural entities.',
  Subjects: 'The people in the structure, with their custom field values and places.',
  Users: 'People who work with subjects, and the groups they belong to.',
  'Subject portal': 'Who may see a subject in the portal: the subject, and third parties that it invites.',
  'Subject records': 'Documents in the records of subjects.',
  'Data sets': 'Data from providers, stored for readers, and the interface by which providers report changes.',
  Endpoints: 'Endpoints that tenants configure: steps that call data providers.',
  'Form templates': 'The forms that a tenant has, and the shape of their data.',
  'Form instances': 'Forms that are kept with a subject: drafts, versions, withdrawal.',
  'Form pages': 'Pages for browsers, on which people fill in forms and read them.',
  Extracts: 'Answers from forms, for reports and data warehouses.',
  Jobs: 'Work that continues after its request: progress, items, cancel, retry.',
  Events: 'What webhooks of a tenant are sent when something changes.',
  Administration: 'Tenants, each described as a whole by its manifest.',
}
export type Tag = keyof typeof tags
