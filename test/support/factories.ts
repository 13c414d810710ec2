import { blockAsked, formAsked } from './extracts.js'
import type { FormsTenant } from './forms.js'
import { aNote, noteControls, type Patient, patientOf, whole } from './instances.js'

/** The controls of `aNote`, as a building block of this key. */
export const noteBlock = (key: string) => ({ key, sections: [{ id: 'only', controls: noteControls }] })

/**
 * Publishes a form like `aNote` whose building block has the key of the form, so that the tests of one file share a tenant and
 * yet find only their own submissions.
 * @param more replaces members of the template.
 */
export async function notesForm(tenant: FormsTenant, key: string, more: object = {}) {
  await tenant.publish(aNote({ key, buildingBlocks: [noteBlock(key)], ...more }))
  const first = patientOf(tenant)
  return {
    key,
    /** Asks for the whole form, and for its building block as `block`. */
    definitions: [formAsked(key), blockAsked(key, { identifier: 'block' })],
    created: (more: object = {}, patient: Patient = first) => patient.created({ formKey: key, ...more }),
    /** Creates an instance and submits it. @returns its id. */
    async submitted(more: object = {}, values: object = whole, patient: Patient = first): Promise<string> {
      const id = await patient.created({ formKey: key, ...more })
      const { status, body } = await patient.submit(id, values)
      if (status !== 200) throw new Error(JSON.stringify(body))
      return id
    },
  }
}

export type NotesForm = Awaited<ReturnType<typeof notesForm>>
