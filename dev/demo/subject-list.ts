// Demo: lists and counts of subjects.
import type { Client, operations } from '../../client/index.js'

export type SubjectListQuery = NonNullable<operations['listSubjects']['parameters']['query']>

export interface FoundSubjects {
  total: number
  /** Values by field key, as texts; those of an array joined. */
  subjects: Record<string, string>[]
}

/** The first page of a list of subjects. */
export async function listSubjects(client: Client, query: SubjectListQuery): Promise<FoundSubjects> {
  const { Edges, PageInfo } = (await client.get('/api/v2/subject', { params: { query } })).data
  const subjects = Edges.map(({ Node }) =>
    Object.fromEntries(
      Node.CustomFieldValues.map(({ Field, Value }) => [
        Field.Key,
        [Value]
          .flat()
          .map(({ ValueText }) => ValueText)
          .join(', '),
      ]),
    ),
  )
  return { total: PageInfo.TotalCount, subjects }
}

/** How many subjects there are, at one place or anywhere. */
export async function countSubjects(client: Client, placeKey?: string): Promise<number> {
  const place = placeKey === undefined ? {} : { StructuralEntityKeys: [placeKey] }
  return (await listSubjects(client, { First: 1, ...place })).total
}
