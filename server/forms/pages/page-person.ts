// View model of the person that a form is about.
import type { SubjectIdentity } from '../../../db/frame/subjects/subject-names.js'
import { shownDate } from './page-dates.js'

/** The person of a form as its page shows it. */
export interface PersonView {
  /** '' where none is known: a page invents no name. */
  name: string
  facts: { label: string; text: string }[]
}

/** @param language of the form, for the date. */
export function personView(person: SubjectIdentity, language: string): PersonView {
  const { displayName, dateOfBirth, identifiers } = person
  const birth = dateOfBirth && {
    label: dateOfBirth.label,
    text: dateOfBirth.day === '' ? 'Not recorded' : shownDate(dateOfBirth.day, language),
  }
  return { name: displayName, facts: [...(birth ? [birth] : []), ...identifiers] }
}
