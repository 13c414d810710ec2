// Demo: extracts answers while people change them.
import { type Client, type components, NoAnswer } from '../../client/index.js'
import { DemoError } from './client.js'
import { followJob, printJob } from './jobs.js'
import { answersOf, questions, scoreOf, tally } from './phq9.js'
import { count, pace, progress } from './progress.js'
import { collect, fillIn, form, type Submitted } from './questionnaires.js'

/** How many people correct their answers while an extract runs. */
const corrected = 10
const path = '/api/v2.0/extract'
const whole = { identifier: 'phq-9', type: 'form', ...form } as const
/** A building block that is shown only to people with thoughts of self-harm. Other questionnaires have no result for it. */
const safety = { identifier: 'safety', type: 'building-block', key: 'phq9-safety', version: 1 } as const

type Line = components['schemas']['ExtractLine']
/** A result of a form or of a building block, in a response or as a line of a job's result. */
type Result = components['schemas']['FormExtractResult'] | components['schemas']['BuildingBlockExtractResult'] | Line

/**
 * Extracts questionnaires in three ways: the most recent of each person; all of them, as a job whose worker is killed; and
 * those that were changed since that job.
 * @param killWorker kills the worker and returns its process id, or undefined if it runs elsewhere.
 */
export async function extractAnswers(
  forms: Client,
  frame: Client,
  killWorker: () => number | undefined,
): Promise<void> {
  const collected = await collect(forms, frame, corrected)
  const latest = collected.flatMap(theirs => theirs.slice(-1))
  const subjectIdentifiers = latest.map(({ subjectId }) => subjectId)
  await printDefinition(forms)
  await extractLatest(forms, latest, subjectIdentifiers)

  const pid = killWorker()
  const killed =
    pid === undefined ? 'The worker runs elsewhere; kill it, if you like.' : `The worker is killed: kill -9 ${pid}.`
  console.log(`\n${killed} Everything is asked for, and ${corrected} people correct their answers meanwhile:`)
  const start = performance.now()
  const everything = { subjectIdentifiers, definitions: [whole, safety] }
  const { data: accepted } = await forms.post(path, {
    params: { header: { Prefer: 'respond-async' } },
    body: everything,
  })
  if (!('jobId' in accepted)) throw new DemoError('The extract is no job.', [], 'Is this Armature?')
  const { instant } = Object(accepted.input)
  const corrections = await correct(forms, latest.slice(-corrected))
  const job = await followJob(forms, accepted)
  const lines = await download(forms, job.jobId, job.counts.results ?? 0)
  const { seconds } = pace(lines.length, start)

  const results = lines.filter(({ identifier }) => identifier === whole.identifier)
  const ofSafety = lines.length - results.length
  const blocks = `${count(ofSafety)} of the block ${safety.key}`
  console.log(`\n${count(results.length)} questionnaires and ${blocks} in ${seconds}, as they were at ${instant}`)
  compare(collected.flat(), results)
  const unsafe = collected.flat().filter(({ answers }) => answers.selfHarm !== '0').length
  if (ofSafety !== unsafe) throw new DemoError(`${blocks} in place of ${unsafe}.`, [], 'See the job.')
  printJob(forms, job)

  const since = await ask(forms, { from: instant, subjectIdentifiers, definitions: [whole] })
  console.log(`\nFrom that instant on: ${count(since.length)} questionnaires, those that were corrected`)
  compare(corrections, since)
}

/** Prints what can be extracted from the form. */
async function printDefinition(forms: Client): Promise<void> {
  const params = { path: { formKey: form.key, formVersion: form.version } }
  const address = `${path}/formdefinition/{formKey}/{formVersion}` as const
  const { buildingBlocks } = (await forms.get(address, { params })).data
  const types = buildingBlocks.flatMap(({ controls }) => controls.map(({ extractValueType }) => extractValueType))
  console.log(`Each has  ${types.length} controls in ${buildingBlocks.length} building blocks: ${tally(types)}`)
  console.log(`          GET ${forms.url(`${path}/formdefinition/${form.key}/${form.version}`)}`)
}

/** Extracts score and severity from the most recent questionnaire of each person. */
async function extractLatest(forms: Client, latest: Submitted[], subjectIdentifiers: string[]): Promise<void> {
  const start = performance.now()
  const buildingBlocks = [{ key: 'phq9', controlIds: ['score', 'severity'] }]
  const results = await ask(forms, {
    subjectIdentifiers,
    maxResultsPerDefinitionPerSubject: 1,
    definitions: [{ ...whole, buildingBlocks }],
  })
  const { seconds } = pace(results.length, start)
  console.log(`\nThe most recent of each person, only score and severity: ${count(results.length)} in ${seconds}`)
  console.log(`Severity  ${tally(results.map(result => enteredIn(result, 'severity')))}`)
  const scores = new Map(results.map(result => [result.instanceGuid, enteredIn(result, 'score')]))
  const wrong = latest.filter(({ instanceGuid, answers }) => scores.get(instanceGuid) !== scoreOf(answers))
  if (wrong.length === 0 && results.length === latest.length) return
  const headline = 'These are not the most recent ones with their scores.'
  throw new DemoError(
    headline,
    wrong.slice(0, 10).map(({ instanceGuid }) => instanceGuid),
    'See their histories.',
  )
}

/** Extracts the results of a definition in a single request, without a job. */
async function ask(forms: Client, body: components['schemas']['ExtractRequest']): Promise<Result[]> {
  const { data } = await forms.post(path, { body })
  if (!('results' in data)) throw new DemoError('The extract is answered by a job.', [], 'Is this Armature?')
  return data.results.flatMap(({ results }): Result[] => results)
}

/** Amends questionnaires with different answers. */
async function correct(forms: Client, submitted: readonly Submitted[]): Promise<Submitted[]> {
  const corrections = submitted.map((one, n) => ({ ...one, answers: answersOf(3_000 + n) }))
  for (const one of corrections) await fillIn(forms, one, false)
  return corrections
}

/** Reads the result of a job line by line, with a progress bar. Begins again if the connection breaks. */
async function download(forms: Client, jobId: string, total: number): Promise<Line[]> {
  const bar = progress()
  const lines: Line[] = []
  try {
    const onWait = () => bar.say('waiting for the API')
    for await (const line of forms.lines('/api/v1/jobs/{jobId}/result', { params: { path: { jobId } }, onWait })) {
      lines.push(line)
      bar.update(lines.length, total, lines.length < total ? 'Reading' : 'Read')
    }
    return lines
  } catch (error) {
    if (error instanceof NoAnswer && lines.length > 0) return download(forms, jobId, total)
    throw error
  } finally {
    bar.stop()
  }
}

/** Compares results with what was submitted. @throws DemoError unless there is exactly one equal result for each. */
function compare(submitted: readonly Submitted[], results: readonly Result[]): void {
  const byInstance = new Map(results.map(result => [result.instanceGuid, result]))
  const wrong = submitted.flatMap(({ instanceGuid, answers }) => {
    const result = byInstance.get(instanceGuid)
    if (!result) return [`${instanceGuid} is missing`]
    return questions.flatMap(question => {
      const extracted = enteredIn(result, question)
      return extracted === answers[question] ? [] : [`${instanceGuid}: ${question} is ${extracted}`]
    })
  })
  const answers = count(submitted.length * questions.length)
  console.log(
    `Compared  ${count(submitted.length)} submitted, ${count(results.length)} extracted; of ${answers} answers ${count(wrong.length)} differ`,
  )
  if (wrong.length === 0 && byInstance.size === submitted.length && results.length === submitted.length) return
  throw new DemoError('The extract is not what was submitted.', wrong.slice(0, 10), 'See its job.')
}

/** Returns the value of a control outside of any repeat. */
function enteredIn(result: Result, controlId: string): string {
  const blocks = 'buildingBlocks' in result ? result.buildingBlocks : []
  const value = blocks.flatMap(({ controls }) => controls).find(({ id }) => id === controlId)?.values[0]
  return value && 'value' in value ? value.value : ''
}
