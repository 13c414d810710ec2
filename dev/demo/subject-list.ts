// Demo: lists and counts of subjects.
import { Type } from 'typebox'
import type { Client } from './client.js'

const Value = Type.Object({ ValueText: Type.String() })
const Subject = Type.Object({
  Id: Type.String(),
  CustomFieldValues: Type.Array(
    Type.Object({ Field: Type.Object({ Key: Type.String() }), Value: Type.Union([Value, Type.Array(Value)]) }),
  ),
})
const Page = Type.Object({
  Edges: Type.Array(Type.Object({ Node: Subject })),
  PageInfo: Type.Object({ TotalCount: Type.Integer() }),
})

export interface FoundSubjects {
  total: number
  /** Values by field key, as texts; those of an array joined. */
  subjects: Record<string, string>[]
}

/** The address of a list of subjects, under the API's. */
export const listPath = (query: Record<string, string>): string => `api/v2/subject?${new URLSearchParams(query)}`

/** The first page of a list of subjects. */
export async function listSubjects(client: Client, query: Record<string, string>): Promise<FoundSubjects> {
  const { Edges, PageInfo } = await client.get(listPath(query), Page)
  const subjects = Edges.map(({ Node }) =>
    Object.fromEntries(
      Node.CustomFieldValues.map(({ Field, Value }) => [Field.Key, [Value].flat().map(text).join(', ')]),
    ),
  )
  return { total: PageInfo.TotalCount, subjects }
}

const text = ({ ValueText }: Type.Static<typeof Value>): string => ValueText

/** How many subjects there are, at one place or anywhere. */
export async function countSubjects(client: Client, placeKey?: string): Promise<number> {
  const { total } = await listSubjects(client, {
    First: '1',
    ...(placeKey === undefined ? {} : { StructuralEntityKeys: placeKey }),
  })
  return total
}
