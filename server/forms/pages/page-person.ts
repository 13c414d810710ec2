// Builds the view model of the person that a form is about.
import type { SubjectIdentity } from '../../../db/frame/subjects/subject-names.js'
import { shownDate } from './page-dates.js'

/** The person of a form as its page shows them. */
export interface PersonView {
  /** The name, or '' if none is known. Pages show no placeholder, which could be taken for a name. */
  name: string
  facts: { label: string; text: string }[]
}

/** Builds the view of a person. @param language of the form, for the date of birth. */
export function personView(person: SubjectIdentity, language: string): PersonView {
  const { displayName, dateOfBirth, identifiers } = person
  const birth = dateOfBirth && {
    label: dateOfBirth.label,
    text: dateOfBirth.day === '' ? 'Not recorded' : shownDate(dateOfBirth.day, language),
  }
  return { name: displayName, facts: [...(birth ? [birth] : []), ...identifiers] }
}
