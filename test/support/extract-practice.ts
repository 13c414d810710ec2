// Random lives of form instances.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import { type Cell, upsertRows } from '../../db/rows.js'
import { newId } from '../../runtime/ids.js'
import type { Api, Reply } from './api.js'
import type { ExtractResult } from './extracts.js'
import { addPerson } from './factories.js'
import { sent } from './faults.js'
import { aTemplate, type FormsTenant, formsTenant } from './form-factories.js'
import { patientOf } from './instances.js'
import { type Random, randomOf } from './random.js'
import { until } from './until.js'

/** What a person has filled in, by control id. */
export type Filled = Record<string, string>

/** A time during which a submission counts. Times in ms since 1970; `until` is infinite where it still counts. */
interface Span {
  from: number
  until: number
  submittedAt: number
  submittedBy: string
  filled: Filled
}

/** An instance with all that was ever submitted of it, by the times that the API has answered: what extracts are judged by. */
export interface Life {
  id: string
  subjectId: string
  formKey: keyof typeof lifeForms
  correlationId: string | null
  spans: Span[]
}

/** Controls by building block. */
const lifeBlocks = { general: ['reason', 'findings'], extra: ['plan'] }

/** Building blocks by form. `extra` may be left empty; `general` is in both forms. */
export const lifeForms = { visit: ['general', 'extra'], call: ['general'] } as const

const labelOf = (control: string) => `The ${control}`

export const blockControls = (block: string): readonly string[] =>
  block === 'general' ? lifeBlocks.general : lifeBlocks.extra

/** The forms as their author writes them. */
export const lifeTemplates = Object.entries(lifeForms).map(([key, blocks]) =>
  aTemplate({
    key,
    buildingBlocks: blocks.map(block => ({
      key: block,
      sections: [{ id: block, controls: blockControls(block).map(id => ({ id, label: labelOf(id) })) }],
    })),
  }),
)

/** A definition of an extract, as far as these tests ask. */
export interface Asked {
  identifier: string
  type: string
  key: string
  buildingBlocks?: { key: string; controlIds?: string[] }[]
  controlIds?: string[]
}

export interface Limits {
  /** Of submissions, in ms since 1970. */
  from?: number
  maxResults?: number
  maxResultsPerDefinitionPerSubject?: number
}

interface Counting {
  life: Life
  span: Span
  definition: number
}

/** What an extract must answer as of an instant (spec forms "Limiting rules"): the results of each definition. */
export function expectedResults(
  lives: Iterable<Life>,
  asked: readonly Asked[],
  instant: number,
  limits: Limits = {},
): ExtractResult[][] {
  const { from: first = 0, maxResults = Number.POSITIVE_INFINITY } = limits
  const { maxResultsPerDefinitionPerSubject: most = maxResults } = limits
  const counting = [...lives].flatMap(life => {
    const span = life.spans.find(({ from, until }) => from < instant && instant <= until)
    return span && span.submittedAt >= first ? [{ life, span }] : []
  })
  const each = asked.map((definition, n) => {
    const before = new Map<string, number>()
    return counting
      .filter(({ life, span }) => isShown(definition, life, span))
      .map(each => ({ ...each, definition: n }))
      .sort(inOrder)
      .filter(({ life }) => {
        const nth = before.get(life.subjectId) ?? 0
        before.set(life.subjectId, nth + 1)
        return nth < most
      })
  })
  const taken = new Set(each.flat().sort(inOrder).slice(0, maxResults))
  return each.map((list, n) => list.filter(one => taken.has(one)).map(one => resultOf(asked[n], one)))
}

function isShown({ type, key }: Asked, { formKey }: Life, { filled }: Span): boolean {
  if (type === 'form') return key === formKey
  return lifeForms[formKey].some(block => block === key) && blockControls(key).some(id => id in filled)
}

/** The most recent first. */
const inOrder = (a: Counting, b: Counting): number =>
  b.span.submittedAt - a.span.submittedAt ||
  (a.life.id < b.life.id ? -1 : a.life.id > b.life.id ? 1 : 0) ||
  a.definition - b.definition

function resultOf(asked: Asked | undefined, { life, span }: Counting): ExtractResult {
  const { submittedAt, submittedBy, filled } = span
  const controlsOf = (block: string, ids = blockControls(block)) =>
    ids.map(id => {
      const held = filled[id]
      const content = held === undefined ? { type: 'empty' } : { type: 'single-value', value: held }
      return { id, label: labelOf(id), dataType: 'string', values: [{ ...content, repeatIterationIndex: null }] }
    })
  const chosen: Asked['buildingBlocks'] = asked?.buildingBlocks ?? lifeForms[life.formKey].map(key => ({ key }))
  return {
    instanceGuid: life.id,
    subjectIdentifier: life.subjectId,
    submittedByUserIdentifier: submittedBy,
    submissionDateTime: new Date(submittedAt).toISOString(),
    correlationId: life.correlationId,
    ...(asked?.type === 'form'
      ? { buildingBlocks: chosen.map(({ key, controlIds }) => ({ key, controls: controlsOf(key, controlIds) })) }
      : { controls: controlsOf(asked?.key ?? '', asked?.controlIds) }),
  }
}

/** The first difference between the results of each definition and what they must be, in words; empty when all is right. */
export function differencesOf(found: readonly ExtractResult[][], wanted: readonly ExtractResult[][]): string[] {
  return wanted.flatMap((list, n) => {
    const shown = found[n] ?? []
    const odd = Array.from({ length: Math.max(list.length, shown.length) }).findIndex(
      (_, at) => !isDeepStrictEqual(shown[at], list[at]),
    )
    if (odd === -1) return []
    const [is, must] = [shown[odd], list[odd]].map(each => JSON.stringify(each)?.slice(0, 400))
    return [`Definition ${n}, ${shown.length} results, must be ${list.length}: at ${odd} is ${is}, must be ${must}`]
  })
}

/** A tenant whose forms are filled in, and all that was ever submitted of them. */
export interface Practice extends FormsTenant {
  tenantId: number
  subjectIds: string[]
  lives: Life[]
}

/**
 * A tenant with published forms, some subjects, and many submissions straight in the database, as the product stores them.
 * @param baseUrl of a stack of one's own; otherwise of the shared one.
 */
export async function practice(
  db: Knex,
  { count, textLength }: { count: number; textLength: number },
  baseUrl?: string,
): Promise<Practice> {
  const tenant = await formsTenant({}, baseUrl)
  await tenant.publish(...lifeTemplates)
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const subjectIds = [tenant.subjectId]
  for (let n = 1; n < 5; n++) subjectIds.push(await addPerson(tenant, `person-${n}`))
  const random = randomOf(count)
  const lives = Array.from({ length: count }, (_, n) => aLife(n, subjectIds, textLength, random))
  await store(db, tenantId, lives)
  return { ...tenant, tenantId, subjectIds, lives }
}

/** What somebody fills in: `extra` is left empty by half of them. */
export const filledIn = (text: string, textLength: number, random: Random): Filled => ({
  reason: text,
  findings: `${text} `.padEnd(textLength, 'ä"\\\n'),
  ...(random.between(0, 2) === 0 ? { plan: `Plan of ${text}` } : {}),
})

/** Three have been submitted at the same time. A tenth were withdrawn, a tenth amended. */
function aLife(n: number, subjectIds: readonly string[], textLength: number, random: Random): Life {
  const submittedAt = Date.UTC(2026, 0, 1) + Math.floor(n / 3) * 60_000
  const isCall = random.between(0, 4) === 0
  const filled = (what: string): Filled => {
    const { plan, ...general } = filledIn(`${what} ${n}`, textLength, random)
    return isCall || plan === undefined ? general : { ...general, plan }
  }
  const span = (from: number, until: number, what: string) => ({
    from,
    until,
    submittedAt: from,
    submittedBy: 'Ada',
    filled: filled(what),
  })
  const [day, what] = [86_400_000, random.between(0, 10)]
  const spans =
    what === 0
      ? [span(submittedAt - day, submittedAt, 'First'), span(submittedAt, Number.POSITIVE_INFINITY, 'Amended')]
      : [span(submittedAt, what === 1 ? submittedAt + day : Number.POSITIVE_INFINITY, 'Visit')]
  return {
    id: newId(),
    subjectId: subjectIds[random.between(0, subjectIds.length)] ?? '',
    formKey: isCall ? 'call' : 'visit',
    correlationId: n % 2 === 0 ? `correlation ${n}` : null,
    spans,
  }
}

const forever = Date.UTC(9999, 11, 31)
const date = (time: number) => new Date(Math.min(time, forever))

async function store(db: Knex, tenant: number, lives: readonly Life[]): Promise<void> {
  const tables = {
    form_instances: [] as Record<string, Cell>[],
    form_instance_versions: [] as Record<string, Cell>[],
    form_values: [] as Record<string, Cell>[],
    form_withdrawals: [] as Record<string, Cell>[],
    form_reports: [] as Record<string, Cell>[],
  }
  const mine = { tenant_id: tenant }
  for (const { id, subjectId, formKey, correlationId, spans } of lives) {
    const by = { instance_id: id, created_by: 'Ada' }
    let last = ''
    for (const [n, { from, until, submittedAt, submittedBy, filled }] of spans.entries()) {
      last = newId()
      const at = { created_at: date(submittedAt), modified_at: date(submittedAt) }
      const version = { id: last, revision: n + 2, status: 'Complete', is_milestone: 1 }
      tables.form_instance_versions.push({ ...mine, ...by, ...version, ...at })
      const documents = lifeForms[formKey].map(key => ({ key, ...documentOf(key, filled) }))
      for (const { key, hasData, document } of documents) {
        const value = { instance_id: id, version_id: last, block_key: key, has_data: hasData ? 1 : 0, document }
        tables.form_values.push({ ...mine, ...value })
      }
      const report = (is_block: 0 | 1, definition_key: string, bytes: number) =>
        tables.form_reports.push({
          ...mine,
          is_block,
          definition_key,
          definition_version: 1,
          submitted_at: date(submittedAt),
          instance_id: id,
          counts_from: date(from),
          counts_until: date(until),
          version_id: last,
          subject_id: subjectId,
          submitted_by: submittedBy,
          correlation_id: correlationId,
          bytes,
        })
      const sizes = documents.map(({ document }) => Buffer.byteLength(document))
      report(
        0,
        formKey,
        sizes.reduce((a, b) => a + b, 0),
      )
      for (const [at, { key, hasData }] of documents.entries()) if (hasData) report(1, key, sizes[at] ?? 0)
    }
    const end = spans.at(-1)
    if (!end) continue
    const isWithdrawn = Number.isFinite(end.until)
    const at = date(end.submittedAt)
    const taken = { status: 'Withdrawn', reason: 'x', taken_by: 'Ada', taken_at: date(end.until) }
    if (isWithdrawn) tables.form_withdrawals.push({ ...mine, instance_id: id, revision: 9, ...taken })
    tables.form_instances.push({
      ...mine,
      id,
      subject_id: subjectId,
      form_key: formKey,
      form_version: 1,
      title: 'Home visit',
      classification: 'Observation',
      allow_amend: 1,
      instance_identifier: id,
      request_hash: 'x',
      correlation_id: correlationId,
      context: '{}',
      status: 'Complete',
      current_version: last,
      reported_version: last,
      revision: 9,
      is_withdrawn: isWithdrawn ? 1 : 0,
      created_by: 'Ada',
      created_at: at,
      modified_at: at,
      submitted_by: 'Ada',
      submitted_at: at,
    })
  }
  for (const [table, rows] of Object.entries(tables)) {
    const columns = Object.keys(rows[0] ?? {})
    const cells = rows.map(row => columns.map(column => row[column] ?? null))
    await upsertRows(db, table, columns, cells, [])
  }
}

function documentOf(block: string, filled: Filled): { hasData: boolean; document: string } {
  const values = blockControls(block).map(id => {
    const held = filled[id]
    const content = held === undefined ? { type: 'empty' } : { type: 'single-value', value: held }
    return [id, [{ repeatIterationIndex: null, ...content }]]
  })
  const hasData = blockControls(block).some(id => id in filled)
  return { hasData, document: JSON.stringify(Object.fromEntries(values)) }
}

/**
 * People who submit, amend, withdraw and reinstate until they are stopped, each instances of their own, whatever is killed
 * meanwhile. What they have done, and when, by the answers of the API, is noted in the practice's lives.
 */
export function people(practice: Practice, count: number) {
  let going = true
  let steps = 0
  const { sub } = JSON.parse(Buffer.from(practice.forms.token.split('.')[1] ?? '', 'base64url').toString())
  const one = async (n: number) => {
    const random = randomOf(n)
    const own = practice.lives.filter((_, at) => at % count === n)
    while (going) {
      await step(practice, own, String(sub), random)
      steps++
    }
  }
  const all = Promise.all(Array.from({ length: count }, (_, n) => one(n)))
  // Said by stop().
  all.catch(() => undefined)
  return {
    steps: () => steps,
    /** Lets all finish what they are doing. */
    async stop(): Promise<void> {
      going = false
      await all
    },
  }
}

async function step(practice: Practice, own: Life[], actor: string, random: Random): Promise<void> {
  const what = random.between(0, 10)
  const life = own[random.between(0, own.length)]
  const filled = filledIn(`Step ${randomUUID()}`, 100, random)
  if (!life || what < 4) {
    const subjectId = practice.subjectIds[random.between(0, practice.subjectIds.length)] ?? ''
    const created = await create(practice.forms, subjectId)
    own.push(created)
    practice.lives.push(created)
    await submit(practice.forms, created, filled, actor)
    return
  }
  const patient = patientOf({ ...practice, subjectId: life.subjectId })
  const last = life.spans.at(-1)
  if (!last) return
  if (Number.isFinite(last.until)) {
    const from = takenAt(await insist('it is reinstated', () => patient.reinstate(life.id)))
    life.spans.push({ ...last, from, until: Number.POSITIVE_INFINITY })
  } else if (what < 7) {
    const { plan, ...general } = filled
    await insist('it is amended', () => patient.amend(life.id), 409)
    await submit(practice.forms, life, life.formKey === 'visit' ? filled : general, actor)
  } else last.until = takenAt(await insist('it is withdrawn', () => patient.withdraw(life.id)))
}

async function create(forms: Api, subjectId: string): Promise<Life> {
  const instanceIdentifier = randomUUID()
  const correlationId = `correlation ${instanceIdentifier}`
  const more = { formKey: 'visit', instanceIdentifier, correlationId }
  const { body } = await insist('it is created', () => patientOf({ subjectId, forms }).create(more))
  return { id: body.instanceGuid, subjectId, formKey: 'visit', correlationId, spans: [] }
}

/** Submits what is new or amended, and notes it. Where an answer was lost, the instance says when it was submitted. */
async function submit(forms: Api, life: Life, filled: Filled, submittedBy: string): Promise<void> {
  const patient = patientOf({ subjectId: life.subjectId, forms })
  const answer = await insist('it is submitted', () => patient.submit(life.id, filled, '*'), 409)
  const { body } = answer.status === 200 ? answer : await insist('it is read', () => patient.read(life.id))
  const at = Date.parse(`${body.lastModifiedDateTimeUtc}Z`)
  const last = life.spans.at(-1)
  if (last) last.until = at
  life.spans.push({ from: at, until: Number.POSITIVE_INFINITY, submittedAt: at, submittedBy, filled })
}

/** Asks until there is an answer that is no outage. @param also a status that says: it was done before. */
const insist = <Body>(what: string, ask: () => Promise<Reply<Body>>, also?: number): Promise<Reply<Body>> =>
  until(what, async () => {
    const answer = await sent(ask())
    if (answer?.status === 200 || (answer && answer.status === also)) return answer
    if (answer && answer.status < 500) throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return undefined
  })

/** When it was withdrawn or reinstated. */
const takenAt = ({ body }: Reply): number => {
  const time = typeof body === 'object' && body && 'actionTakenDateTime' in body ? body.actionTakenDateTime : undefined
  return Date.parse(String(time))
}
