import { setTimeout as sleep } from 'node:timers/promises'
import { DOMParser } from '@xmldom/xmldom'
import { Type } from 'typebox'
import { demoForm } from '../demo-forms.js'
import type { Delivery } from '../provider/deliveries.js'
import { type Client, DemoError, patiently } from './client.js'
import { openForm, sendForm } from './form-page.js'
import { count, pace, progress } from './progress.js'
import { type Register, since, whileItFails } from './register.js'
import { mulberry32 } from './shuffle.js'

const people = 10
const patienceMs = 120_000
const route = 'POST /deliveries'

/** The nine questions of the PHQ-9, each answered with 0 to 3. */
const questions = ['interest', 'mood', 'sleep', 'energy', 'appetite', 'worth', 'concentration', 'movement', 'selfHarm']

/**
 * Some people fill in a PHQ-9 on its launch page, as browsers send it. It is sent on and not kept, while whoever receives it fails.
 * Other people in every run: the same form sent again is the same delivery.
 */
export async function sendSinglePass(client: Client, register: Register, tenantKey: string): Promise<void> {
  const address = new URL(client.url(`${tenantKey}/SinglePass/${demoForm}`))
  console.log(`The PHQ-9, a questionnaire that patients fill in: ${address}`)
  console.log(`The archive at ${register.url} is told to fail one call in five.`)
  console.log(`${people} people send theirs nevertheless:`)
  const before = await register.answers(route)
  const start = performance.now()
  const arrived = await whileItFails(register, { failRate: 0.2, slowMs: 20, seed: 9 }, async () => {
    const sent = new Map<string, Answers>()
    for (let n = 0; n < people; n++) {
      const answers = answersOf(n)
      const thanks = await sendForm(await openForm(address), answers)
      sent.set(thanks.searchParams.get('reference') ?? '', answers)
    }
    return untilArrived(register, sent)
  })
  const { seconds } = pace(people, start)
  const { made, failed } = since(before, await register.answers(route))
  compare(arrived)

  console.log(`\n${people} forms in ${seconds}, each of which has arrived once`)
  console.log(`Calls     ${count(made)} of the archive, of which ${count(failed)} failed and were made again`)
  console.log(`Severity  ${severities(arrived)}`)
  await showNothingKept(client)
  const [first] = arrived
  if (first) console.log(`\nThe first one\n${head(first.delivery.xml)}`)
}

type Answers = Record<string, string>

/** The same in every run. */
function answersOf(person: number): Answers {
  const random = mulberry32(person)
  const answers: Answers = { filledInBy: 'self', difficulty: '1', safeNow: 'true' }
  for (const question of questions) answers[question] = String(Math.floor(random() * 4))
  return answers
}

interface Arrival {
  delivery: Delivery
  answers: Answers
}

async function untilArrived(register: Register, sent: ReadonlyMap<string, Answers>): Promise<Arrival[]> {
  const bar = progress()
  try {
    for (const deadline = Date.now() + patienceMs; ; await sleep(200)) {
      const arrived = (await register.deliveries()).flatMap(delivery => {
        const answers = sent.get(delivery.idempotencyKey)
        return answers ? [{ delivery, answers }] : []
      })
      bar.update(arrived.length, sent.size, arrived.length < sent.size ? 'Sending' : 'Arrived')
      if (arrived.length >= sent.size) return arrived
      if (Date.now() > deadline) {
        const headline = `${sent.size - arrived.length} forms have not arrived.`
        throw new DemoError(headline, [], 'See their jobs: GET api/v1/jobs?Kind=singlePassDelivery')
      }
    }
  } finally {
    bar.stop()
  }
}

/** The text of an element of a form that has arrived. */
const textIn = ({ delivery: { xml } }: Arrival, name: string): string =>
  new DOMParser().parseFromString(xml, 'text/xml').getElementsByTagName(name).item(0)?.textContent ?? ''

/** @throws DemoError unless all that arrived have the sums of what was answered. */
function compare(arrived: readonly Arrival[]): void {
  const wrong = arrived.flatMap(arrival => {
    const expected = questions.reduce((sum, question) => sum + Number(arrival.answers[question]), 0)
    const score = textIn(arrival, 'score')
    return score === String(expected) ? [] : [`${arrival.delivery.idempotencyKey}: ${score} in place of ${expected}`]
  })
  if (wrong.length > 0) throw new DemoError('Not all forms have the sums of their answers.', wrong, 'See their XML.')
}

/** How many forms say what: `2 mild, 8 moderate`. */
function severities(arrived: readonly Arrival[]): string {
  const counts = new Map<string, number>()
  for (const severity of arrived.map(arrival => textIn(arrival, 'severity')).sort()) {
    counts.set(severity, (counts.get(severity) ?? 0) + 1)
  }
  return [...counts].map(([severity, number]) => `${number} ${severity}`).join(', ')
}

const shownLines = 9

/** The beginning of a document, an element a line. */
function head(xml: string): string {
  let depth = 1
  const lines = xml.replaceAll('><', '>\n<').split('\n').slice(0, shownLines)
  const indented = lines.map(line => {
    if (line.startsWith('</')) depth--
    const shown = `${'  '.repeat(depth)}${line}`
    if (/^<[^?/][^>]*[^/]>$/.test(line)) depth++
    return shown
  })
  return [...indented, `${'  '.repeat(depth)}…`].join('\n')
}

const Jobs = Type.Object({
  Edges: Type.Array(
    Type.Object({
      Node: Type.Object({
        status: Type.String(),
        input: Type.Unknown(),
        links: Type.Object({ self: Type.String() }),
      }),
    }),
  ),
})

/** Waits for the jobs, which end a moment after the forms have arrived, and prints what one of them still knows. */
async function showNothingKept(client: Client): Promise<void> {
  const path = `api/v1/jobs?Kind=singlePassDelivery&First=${people}`
  for (const deadline = Date.now() + patienceMs; ; await sleep(200)) {
    const { Edges } = await patiently(() => client.get(path, Jobs))
    const open = Edges.filter(({ Node }) => Node.status !== 'Completed')
    const [newest] = Edges
    if (newest && open.length === 0) {
      console.log(`Kept      nothing: what a job still knows of its form is ${JSON.stringify(newest.Node.input)}`)
      console.log(`Job       ${client.url(newest.Node.links.self)}`)
      return
    }
    if (Date.now() > deadline) {
      throw new DemoError('Not all deliveries are completed.', [client.url(path)], 'See the jobs.')
    }
  }
}
