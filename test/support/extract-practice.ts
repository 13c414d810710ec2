// Simulates a practice whose staff fill in forms while processes are killed, for tests of extracts and exports under faults.
import { randomUUID } from 'node:crypto'
import type { Knex } from 'knex'
import { tenantIdOf } from '../../db/admin/tenants.js'
import type { Reply } from './api.js'
import { addCopies, at, type Copy, clientName, done, type Subject, unmarked } from './extract-history.js'
import {
  type AskedDefinition,
  type AskedExtract,
  differencesOf,
  extractModel,
  type KnownForm,
  type KnownInstance,
} from './extract-model.js'
import { bodyOf } from './extract-requests.js'
import type { Filled } from './extract-templates.js'
import { addPerson, aTemplate, blockAsked, type FormsTenant, formAsked, formsTenant } from './factories.js'
import { sent } from './faults.js'
import { patientOf } from './instances.js'
import { type Random, randomOf } from './random.js'
import { until } from './until.js'

/** A tenant with filled-in forms, and a record of every change to them. */
export interface Practice extends FormsTenant {
  tenantId: number
  subjects: Subject[]
  instances: KnownInstance[]
}

const blocks = { general: ['reason', 'findings'], extra: ['plan'] } as const
/** Building blocks, keyed by form. `extra` may be left empty. */
const forms = { visit: ['general', 'extra'], call: ['general'] } as const

const labelOf = (control: string) => `The ${control}`

const known = (key: keyof typeof forms): KnownForm => ({
  key,
  version: 1,
  buildingBlocks: forms[key].map(block => ({
    key: block,
    version: 1,
    controls: blocks[block].map(id => ({ id, label: labelOf(id), dataType: 'string' })),
  })),
})

const templates = [known('visit'), known('call')].map(({ key, buildingBlocks }) =>
  aTemplate({
    key,
    buildingBlocks: buildingBlocks.map(({ key, controls }) => ({
      key,
      sections: [{ id: key, controls: controls.map(({ id, label }) => ({ id, label })) }],
    })),
  }),
)

/** One definition of every kind. Each has results. */
export const allAsked: AskedDefinition[] = [
  formAsked('visit'),
  blockAsked('extra'),
  formAsked('call', { identifier: 'reasons', buildingBlocks: [{ key: 'general', controlIds: ['reason'] }] }),
  blockAsked('general', { controlIds: ['findings'] }),
  formAsked('visit', { identifier: 'again' }),
]

/** Fills in a form with texts that only this submission has. Half of the submissions leave `extra` empty. */
function fill({ buildingBlocks }: KnownForm, text: string, textLength: number, hasPlan: boolean): Filled {
  const texts: Record<string, string> = { reason: text, findings: `${text} `.padEnd(textLength, 'ä"\\\n') }
  if (hasPlan && buildingBlocks.length > 1) texts.plan = `Plan of ${text}`
  const shown = buildingBlocks.flatMap(({ controls }) =>
    controls.map(({ id }) => {
      const value = texts[id] === undefined ? { type: 'empty' } : { type: 'single-value', value: texts[id] }
      return [id, [{ ...value, repeatIterationIndex: null }]]
    }),
  )
  return { sent: texts, shown: Object.fromEntries(shown) }
}

/**
 * Creates a practice with published forms, some subjects and many submissions. One of each kind is submitted through the API.
 * The others are copies of its rows with their own ids, times, subject and texts. Three of a kind have the same time, and a
 * tenth are withdrawn.
 * @param baseUrl address of the test's own stack, by default of the shared one.
 */
export async function practice(
  db: Knex,
  { count, textLength }: { count: number; textLength: number },
  baseUrl?: string,
): Promise<Practice> {
  const tenant = await formsTenant({}, baseUrl)
  await tenant.publish(...templates)
  const tenantId = await tenantIdOf(db, tenant.tenantKey)
  const subjects = [{ id: tenant.subjectId, externalId: '' }]
  for (let n = 1; n < 5; n++) subjects.push({ id: await addPerson(tenant, `person-${n}`), externalId: '' })
  const random = randomOf(count)
  const instances: KnownInstance[] = []
  const kinds = [
    { form: 'visit', hasPlan: true },
    { form: 'visit', hasPlan: false },
    { form: 'call', hasPlan: false },
  ] as const
  const by = { api: tenant.forms, name: clientName(tenant.forms) }
  for (const [n, { form, hasPlan }] of kinds.entries()) {
    const correlationId = n === 0 ? 'correlation' : undefined
    const guid = await patientOf(tenant).created({ formKey: form, correlationId })
    const original: KnownInstance = { guid, subject: at(subjects, 0), form: known(form), correlationId, deeds: [] }
    original.deeds.push(await done(original, 'submit', by, fill(original.form, unmarked, textLength, hasPlan)))
    const copies = Array.from({ length: Math.ceil(count / kinds.length) }, (_, copy): Copy => {
      const time = Date.UTC(2026, 0, 1) + Math.floor(copy / 3) * 60_000
      const withdrawnAt = random.between(0, 10) === 0 ? time + 86_400_000 : undefined
      return { subject: at(subjects, random.between(0, 5)), at: time, withdrawnAt, mark: `${n}-${copy}` }
    })
    instances.push(original, ...(await addCopies(db, tenant.tenantKey, original, copies)))
  }
  return { ...tenant, tenantId, subjects, instances }
}

/**
 * Makes people submit, amend, withdraw and reinstate instances, each their own, until they are stopped. They repeat what
 * fails because a process was killed. Each change, with the time that the API reports, is added to the practice's instances.
 */
export function people(practice: Practice, count: number) {
  let isGoing = true
  let steps = 0
  const one = async (n: number) => {
    const random = randomOf(n)
    const own: KnownInstance[] = []
    while (isGoing) {
      await step(practice, own, random)
      steps++
    }
  }
  const all = Promise.all(Array.from({ length: count }, (_, n) => one(n)))
  // Not handled here, because stop() throws it.
  all.catch(() => undefined)
  return {
    steps: () => steps,
    /** Lets everybody finish their current change. @throws the first failure. */
    async stop(): Promise<void> {
      isGoing = false
      await all
    },
  }
}

async function step(practice: Practice, own: KnownInstance[], random: Random): Promise<void> {
  const what = random.between(0, 10)
  const instance = own[random.between(0, own.length)]
  if (!instance || what < 3) {
    const created = await create(practice, random)
    await submit(practice, created, random)
    own.push(created)
    return
  }
  const { guid, subject, deeds } = instance
  const patient = patientOf({ subjectId: subject.id, forms: practice.forms })
  if (deeds.at(-1)?.did === 'withdraw') {
    const { body } = await insist('it is reinstated', () => patient.reinstate(guid))
    deeds.push({ did: 'reinstate', at: Date.parse(body.actionTakenDateTime) })
  } else if (what < 7) {
    await insist('it is amended', () => patient.amend(guid), 409)
    await submit(practice, instance, random)
  } else {
    const { body } = await insist('it is withdrawn', () => patient.withdraw(guid))
    deeds.push({ did: 'withdraw', at: Date.parse(body.actionTakenDateTime) })
  }
}

async function create({ forms, subjects, instances }: Practice, random: Random): Promise<KnownInstance> {
  const subject = at(subjects, random.between(0, 5))
  const instanceIdentifier = randomUUID()
  const correlationId = `correlation ${instanceIdentifier}`
  const more = { formKey: 'visit', instanceIdentifier, correlationId }
  const { body } = await insist('it is created', () => patientOf({ subjectId: subject.id, forms }).create(more))
  const instance = { guid: body.instanceGuid, subject, form: known('visit'), correlationId, deeds: [] }
  instances.push(instance)
  return instance
}

/** Submits a new or amended instance. If the answer is lost, the time of submission is read from the instance. */
async function submit({ forms }: Practice, { guid, subject, form, deeds }: KnownInstance, random: Random) {
  const patient = patientOf({ subjectId: subject.id, forms })
  const filled = fill(form, `Step ${randomUUID()}`, 100, random.between(0, 2) === 0)
  const answer = await insist('it is submitted', () => patient.submit(guid, filled.sent, '*'), 409)
  const { body } = answer.status === 200 ? answer : await insist('it is read', () => patient.read(guid))
  const time = Date.parse(`${body.lastModifiedDateTimeUtc}Z`)
  deeds.push({ did: 'submit', at: time, by: clientName(forms), values: filled.shown })
}

/** Repeats a request until the answer is not an outage. @param also status that means a lost answer was a success. */
const insist = <Body>(what: string, ask: () => Promise<Reply<Body>>, also?: number): Promise<Reply<Body>> =>
  until(what, async () => {
    const answer = await sent(ask())
    if (answer?.status === 200 || (answer && answer.status === also)) return answer
    if (answer && answer.status < 500) throw new Error(`${what}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return undefined
  })

/** Compares an extract, as JSON or NDJSON, with what counted at the instant that it names. @returns the differences. */
export function judged(
  { instances }: Pick<Practice, 'instances'>,
  answer: Pick<Reply, 'status' | 'headers' | 'body'>,
  more: Partial<AskedExtract> = {},
): string[] {
  if (answer.status !== 200) return [`${answer.status}: ${JSON.stringify(answer.body)}`]
  const asked = { definitions: allAsked, ...more }
  return differencesOf(bodyOf(answer, asked), extractModel(instances).answer(asked, instantOf(answer.headers)))
}

/** Reads the cut-off time of an extract from its headers, in ms since 1970. */
export const instantOf = (headers: Headers): number => Date.parse(headers.get('extract-instant') ?? '')

/** Resolves when this many definitions of an extract are listed. @throws Error if its job ends before. */
export const listed = (db: Knex, jobId: string, definitions: number): Promise<boolean> =>
  until(`${definitions} definitions are listed`, async () => {
    const job = await db('jobs')
      .where({ id: jobId })
      .first('status', 'done')
      .catch(() => undefined)
    if (job && !['Accepted', 'Running'].includes(job.status)) throw new Error(`The extract is ${job.status}`)
    return job?.done === definitions
  })
