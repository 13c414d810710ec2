import { randomUUID } from 'node:crypto'
import type { Api, Reply } from './api.js'
import type { Filled, Life } from './extract-lives.js'
import { filledIn, type Practice } from './extract-population.js'
import { sent, until } from './faults.js'
import { patientOf } from './instances.js'
import { type Random, randomOf } from './random.js'

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
