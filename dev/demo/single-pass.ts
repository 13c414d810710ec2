// Demo: sends single-pass forms while their receiver fails.
import { setTimeout as sleep } from 'node:timers/promises'
import { DOMParser } from '@xmldom/xmldom'
import type { Client } from '../../client/index.js'
import { demoForm } from '../demo-forms.js'
import type { Delivery } from '../provider/deliveries.js'
import { DemoError } from './client.js'
import { openForm, sendForm } from './form-page.js'
import { type Answers, answersOf, scoreOf, tally } from './phq9.js'
import { count, pace, progress } from './progress.js'
import { type Register, since, whileItFails } from './register.js'

const people = 10
const timeoutMs = 120_000
const route = 'POST /deliveries'

/**
 * Fills in a PHQ-9 for some people on its launch page, as a browser does. The platform sends the forms on to an archive,
 * which fails at times, and does not store them. Each run sends new forms, since a form that is sent again is not delivered
 * twice.
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
  console.log(`Severity  ${tally(arrived.map(arrival => textIn(arrival, 'severity')))}`)
  await showNothingKept(client)
  const [first] = arrived
  if (first) console.log(`\nThe first one\n${head(first.delivery.xml)}`)
}

interface Arrival {
  delivery: Delivery
  answers: Answers
}

async function untilArrived(register: Register, sent: ReadonlyMap<string, Answers>): Promise<Arrival[]> {
  const bar = progress()
  try {
    for (const deadline = Date.now() + timeoutMs; ; await sleep(200)) {
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

/** Returns the text of an element in a form that has arrived. */
const textIn = ({ delivery: { xml } }: Arrival, name: string): string =>
  new DOMParser().parseFromString(xml, 'text/xml').getElementsByTagName(name).item(0)?.textContent ?? ''

/** @throws DemoError unless the score in each form that arrived is the sum of its answers. */
function compare(arrived: readonly Arrival[]): void {
  const wrong = arrived.flatMap(arrival => {
    const [expected, score] = [scoreOf(arrival.answers), textIn(arrival, 'score')]
    return score === expected ? [] : [`${arrival.delivery.idempotencyKey}: ${score} in place of ${expected}`]
  })
  if (wrong.length > 0) throw new DemoError('Not all forms have the sums of their answers.', wrong, 'See their XML.')
}

const shownLines = 9

/** Formats the beginning of a document, one element per line. */
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

/** Waits for the jobs, which end shortly after the forms have arrived, and prints what is still stored with one of them. */
async function showNothingKept(client: Client): Promise<void> {
  const params = { query: { Kind: ['singlePassDelivery' as const], First: people } }
  for (const deadline = Date.now() + timeoutMs; ; await sleep(200)) {
    const { Edges } = (await client.get('/api/v1/jobs', { params })).data
    const open = Edges.filter(({ Node }) => Node.status !== 'Completed')
    const [newest] = Edges
    if (newest && open.length === 0) {
      console.log(`Kept      nothing: what a job still knows of its form is ${JSON.stringify(newest.Node.input)}`)
      console.log(`Job       ${client.url(newest.Node.links.self)}`)
      return
    }
    if (Date.now() > deadline) {
      throw new DemoError(
        'Not all deliveries are completed.',
        [],
        'See the jobs: GET api/v1/jobs?Kind=singlePassDelivery',
      )
    }
  }
}
