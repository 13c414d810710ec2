// Reads and writes ETags and `If-Match` headers of form instances.
import Type, { type Static } from 'typebox'
import { etagOf, type InstanceRow, type Named, type Seen } from '../../../db/forms/instances/instances.js'
import type { Answer } from '../../endpoint.js'
import { Guid, Id } from '../../schema/guid.js'

/** Adds the ETag of the instance to an answer. */
export const withEtag = (row: InstanceRow, answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, ETag: etagOf(row) },
})

export const ifMatch = Type.Object({
  'If-Match': Type.Optional(
    Type.String({
      description:
        'The ETag of the version that the caller has read, or `*`. Without it, overwriting a draft is refused with 428; an outdated ETag is 412.',
    }),
  ),
})

/**
 * Parses an `If-Match` header. Returns undefined if it is missing; ETags that we did not issue are dropped and match
 * nothing.
 */
export function seenIn(header: string): Seen {
  if (header.trim() === '') return undefined
  if (header.trim() === '*') return 'any'
  return header.split(',').flatMap(tag => {
    const [, revision] = /^\s*"(\d{1,10})"\s*$/.exec(tag) ?? []
    return revision === undefined ? [] : [Number(revision)]
  })
}

/**
 * Path parameters of an instance. The patient is any text (spec forms "Create body"), so a malformed id is 404 and not
 * 400.
 */
export const InstancePath = Type.Object({ patientId: Id, instanceGuid: Guid })

/** Returns the instance and patient that a path names. */
export const namedIn = ({ instanceGuid, patientId }: Static<typeof InstancePath>): Named => ({
  id: instanceGuid,
  patient: patientId,
})
