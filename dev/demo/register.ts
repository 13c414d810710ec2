// Controls the demo's register of vaccinations.
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { demoProviderClient } from '../demo-glue.js'
import type { Behaviour } from '../provider/behaviour.js'
import type { Delivery } from '../provider/deliveries.js'
import type { Vaccination } from '../provider/vaccinations.js'
import { requested } from './requests.js'

/** The register of vaccinations that `npm start` runs, from the point of view of its operators. */
export interface Register {
  url: string
  /** Sets how the register behaves from now on. {} means normal behaviour. */
  tell(behaviour: Behaviour): Promise<void>
  /** Counts the calls of a route, such as `GET /vaccinations`, by status. */
  answers(route: string): Promise<Answers>
  rows(programme: string): Promise<Vaccination[]>
  rowsOf(nationalId: string, programme: string): Promise<Vaccination[]>
  put(row: Vaccination): Promise<void>
  /** Returns the last hundred forms that the register received, the oldest first. */
  deliveries(): Promise<Delivery[]>
}

export type Answers = Record<string, number>

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
const Deliveries = Type.Object({
  deliveries: Type.Array(Type.Object({ idempotencyKey: Type.String(), receivedAt: Type.String(), xml: Type.String() })),
})
const Page = Type.Object({ rows: Type.Array(Row), next: Type.Optional(Type.String()) })
const Statistics = Type.Object({ calls: Type.Record(Type.String(), Type.Record(Type.String(), Type.Integer())) })

const Token = Type.Object({ access_token: Type.String() })

/** Connects to the register. Each call gets a new token, because the register forgets its tokens when it restarts. */
export function openRegister(url: string): Register {
  const { id, secret } = demoProviderClient
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, scope: 'vaccinations control' }

  async function call(path: string, init: RequestInit = {}): Promise<unknown> {
    const answer = await requested(new URL('/token', url), { method: 'POST', body: new URLSearchParams(form) })
    const { access_token: token } = Value.Parse(Token, await answer.json())
    const headers = { ...init.headers, authorization: `Bearer ${token}` }
    const text = await (await requested(new URL(path, url), { ...init, headers })).text()
    return text === '' ? undefined : JSON.parse(text)
  }
  async function put(path: string, body: unknown): Promise<void> {
    const headers = { 'content-type': 'application/json' }
    await call(path, { method: 'PUT', headers, body: JSON.stringify(body) })
  }
  const page = async (path: string) => Value.Parse(Page, await call(path))

  return {
    url,
    tell: behaviour => put('behaviour', behaviour),
    answers: async route => Value.Parse(Statistics, await call('statistics')).calls[route] ?? {},
    async rows(programme) {
      const rows: Vaccination[] = []
      for (let cursor: string | undefined = ''; cursor !== undefined; ) {
        const found: Type.Static<typeof Page> = await page(
          `vaccinations?size=1000&programme=${programme}&cursor=${cursor}`,
        )
        rows.push(...found.rows)
        cursor = found.next
      }
      return rows
    },
    rowsOf: async (nationalId, programme) =>
      (await page(`vaccinations/of?nationalId=${nationalId}&programme=${programme}`)).rows,
    put: ({ id, ...row }) => put(`vaccinations/${id}`, row),
    deliveries: async () => Value.Parse(Deliveries, await call('deliveries')).deliveries,
  }
}

/** Runs `work` while the register misbehaves, then restores normal behaviour. */
export async function whileItFails<Result>(
  register: Register,
  behaviour: Behaviour,
  work: () => Promise<Result>,
): Promise<Result> {
  await register.tell(behaviour)
  try {
    return await work()
  } finally {
    await register.tell({})
  }
}

/**
 * Returns how many calls were made between two counts, and how many of them failed. A count that has decreased means that
 * the register was restarted and began at 0.
 */
export function since(before: Answers, after: Answers): { made: number; failed: number } {
  const more = ([status, number]: [string, number]): [string, number] => {
    const was = before[status] ?? 0
    return [status, number < was ? number : number - was]
  }
  const calls = Object.entries(after).map(more)
  const sum = (of: typeof calls) => of.reduce((all, [, number]) => all + number, 0)
  return { made: sum(calls), failed: sum(calls.filter(([status]) => !status.startsWith('2'))) }
}
