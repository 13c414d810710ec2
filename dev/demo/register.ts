import { Type } from 'typebox'
import { demoProviderClient } from '../demo-glue.js'
import type { Behaviour } from '../provider/behaviour.js'
import type { Vaccination } from '../provider/vaccinations.js'
import { type Client, patiently, signIn } from './client.js'

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

/** The register for those who may change it. Each call takes a token of its own: a restart forgets those that it gave. */
export function openRegister(url: string): Register {
  const { id, secret } = demoProviderClient
  const credentials = { client_id: id, client_secret: secret, scope: 'vaccinations control' }
  const signedIn = () => patiently(() => signIn(url, credentials, '/token'))
  const put = async (path: string, body: unknown) => {
    await (await signedIn()).put(path, body)
  }
  return {
    url,
    tell: behaviour => put('behaviour', behaviour),
    answers: async () => (await (await signedIn()).get('statistics', Statistics)).calls['GET /vaccinations'] ?? {},
    rows: async programme => allPages(await signedIn(), `vaccinations?size=1000&programme=${programme}`),
    async rowsOf(nationalId, programme) {
      const path = `vaccinations/of?nationalId=${nationalId}&programme=${programme}`
      return (await (await signedIn()).get(path, Page)).rows
    },
    put: ({ id, ...row }) => put(`vaccinations/${id}`, row),
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
