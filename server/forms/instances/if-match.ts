// ETags and `If-Match` of form instances.
import Type, { type Static } from 'typebox'
import { etagOf, type InstanceRow, type Named, type Seen } from '../../../db/forms/instances/instances.js'
import type { Answer } from '../../endpoint.js'
import { Guid, Id } from '../../schema/guid.js'

/** Answers with the ETag of the instance. */
export const withEtag = (row: InstanceRow, answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, ETag: etagOf(row) },
})

export const ifMatch = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      description:
        'The ETag that the editor has seen, or `*`. Required (428) where a draft would be overwritten; another ETag: 412.',
    }),
  ),
})

/** Parses an `If-Match` header; undefined where there is none. A foreign ETag matches nothing. */
export function seenIn(header: string): Seen {
  if (header.trim() === '') return undefined
  if (header.trim() === '*') return 'any'
  return header.split(',').flatMap(tag => {
    const [, revision] = /^\s*"(\d{1,10})"\s*$/.exec(tag) ?? []
    return revision === undefined ? [] : [Number(revision)]
  })
}

/** Path of what belongs to an instance. A patient is a text (spec forms "Create body"): one that is no id is 404. */
export const InstancePath = Type.Object({ patientId: Id, instanceGuid: Guid })

/** The instance that a path names. */
export const namedIn = ({ instanceGuid, patientId }: Static<typeof InstancePath>): Named => ({
  id: instanceGuid,
  patient: patientId,
})
