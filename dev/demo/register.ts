import { Type } from 'typebox'
import { demoProviderClient } from '../demo-glue.js'
import type { Behaviour } from '../provider/behaviour.js'
import type { Vaccination } from '../provider/vaccinations.js'
import { type Client, signIn } from './client.js'

/** The register of vaccinations that `npm start` runs, as those who look after it see it. */
export interface Register {
  url: string
  /** From now on; {} is well-behaved. */
  tell(behaviour: Behaviour): Promise<void>
  /** How many calls for vaccinations were answered how, by status. */
  answers(): Promise<Record<string, number>>
  rows(programme: string): Promise<Vaccination[]>
  rowsOf(nationalId: string, programme: string): Promise<Vaccination[]>
  put(row: Vaccination): Promise<void>
}

const Row = Type.Object({
  id: Type.String(),
  nationalId: Type.String(),
  vaccine: Type.String(),
  programme: Type.Union([Type.Literal('routine'), Type.Literal('seasonal'), Type.Literal('travel')]),
  dose: Type.Integer(),
  date: Type.String(),
  lot: Type.String(),
  verified: Type.Boolean(),
})
const Page = Type.Object({ rows: Type.Array(Row), next: Type.Optional(Type.String()) })
const Statistics = Type.Object({ calls: Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer())) })

/** Signs in to the register, which may change it and say how it behaves. */
export async function openRegister(url: string): Promise<Register> {
  const { id, secret } = demoProviderClient
  const credentials = { client_id: id, client_secret: secret, scope: 'vaccinations control' }
  const client = await signIn(url, credentials, '/token')
  return {
    url,
    async tell(behaviour) {
      await client.put('behaviour', behaviour)
    },
    answers: async () => (await client.get('statistics', Statistics)).calls['GET /vaccinations'] ?? {},
    rows: programme => allPages(client, `vaccinations?size=1000&programme=${programme}`),
    rowsOf: async (nationalId, programme) =>
      (await client.get(`vaccinations/of?nationalId=${nationalId}&programme=${programme}`, Page)).rows,
    async put({ id, ...row }) {
      await client.put(`vaccinations/${id}`, row)
    },
  }
}

async function allPages(client: Client, path: string): Promise<Vaccination[]> {
  const rows: Vaccination[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page: Type.Static<typeof Page> = await client.get(`${path}&cursor=${cursor}`, Page)
    rows.push(...page.rows)
    cursor = page.next
  }
  return rows
}
