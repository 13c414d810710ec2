// Lists and counts subjects for the demo.
import type { Client, operations } from '../../client/index.js'

export type SubjectListQuery = NonNullable<operations['listSubjects']['parameters']['query']>

export interface FoundSubjects {
  total: number
  /** Values as text, keyed by field. Several values of a field are joined. */
  subjects: Record<string, string>[]
}

/** Reads the first page of a list of subjects. */
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

/** Counts the subjects at a place, or all of them. */
export async function countSubjects(client: Client, placeKey?: string): Promise<number> {
  const place = placeKey === undefined ? {} : { StructuralEntityKeys: [placeKey] }
  return (await listSubjects(client, { First: 1, ...place })).total
}
