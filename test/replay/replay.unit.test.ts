// Recorded histories replay on the current workflows.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { beforeAll, describe, expect, test } from 'vitest'
import { createNexusCodec } from '../../nexus/codec.js'
import { projectRoot } from '../../runtime/process/version.js'
import * as workflows from '../../workflows/index.js'
import { jobKinds } from '../../workflows/jobs/contracts.js'
import { platformRuns } from '../../workflows/platform/contracts.js'
import { everyPayloadOpened, recordingKey, testDataConverter, textsOf } from '../support/sealed.js'

const directory = join(projectRoot, 'test', 'replay')
const recorded = readdirSync(directory).filter(name => name.endsWith('.json'))
/** The identity of a worker or client is its process and its machine; a recorded one names no machine. */
const otherMachine = /"identity":"\d+@(?!recorder")/
/** The platform's own runs have no input, and no tenant. */
const ofTenants = recorded.filter(file => !Object.keys(platformRuns).some(run => file.startsWith(`${run}.`)))
const workflowBundle = { codePath: join(projectRoot, 'dist', 'workflows', 'bundle.js') }

/** The reasons: the failures themselves are sealed. */
const logged: string[] = []

beforeAll(() => {
  // The SDK would print the violations that the tampered history is there to cause.
  Runtime.install({
    logger: new DefaultLogger('ERROR', ({ meta }) => void logged.push(inspect(meta))),
    telemetryOptions: { logging: { forward: {}, filter: 'OFF' } },
  })
})

const textOf = (file: string) => readFileSync(join(directory, file), 'utf8')
const optionsOf = (encryptionKey: string) => ({
  workflowBundle,
  dataConverter: testDataConverter(encryptionKey),
})
const historyOf = (text: string) => {
  const history = JSON.parse(text)
  const { workflowId } = history.events[0].workflowExecutionStartedEventAttributes
  return { history, workflowId }
}
const replay = (text: string, encryptionKey = recordingKey) => {
  const { history, workflowId } = historyOf(text)
  return Worker.runReplayHistory(optionsOf(encryptionKey), history, workflowId)
}

/** A recorded history whose run was started with another input. */
async function withInput(file: string, value: object): Promise<string> {
  const { history, workflowId } = historyOf(textOf(file))
  const { input } = history.events[0].workflowExecutionStartedEventAttributes
  const [codec] = testDataConverter(recordingKey).payloadCodecs ?? []
  const payload = { metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(value)) }
  const sealed = await codec?.encode([payload], { type: 'workflow', namespace: 'default', workflowId })
  input.payloads = sealed?.map(({ metadata, data }) => ({
    metadata: Object.fromEntries(Object.entries(metadata ?? {}).map(([name, bytes]) => [name, base64(bytes)])),
    data: base64(data ?? ''),
  }))
  return JSON.stringify(history)
}

// How to record: see record.ts.
test('every workflow type has a recorded history, and every kind of job is one', () => {
  // The default export runs the kinds that have no workflow of their own.
  const own = Object.keys(workflows).filter(name => name !== 'default')
  const types = [...new Set([...own, ...jobKinds])].sort()
  expect([...new Set(recorded.map(file => file.split('.')[0]))].sort()).toEqual(types)
})

describe('recorded from a real run', () => {
  const replays: { workflowId: string; error?: Error | undefined }[] = []
  // One worker replays all: to begin takes a worker longer than a history.
  beforeAll(async () => {
    const histories = recorded.map(file => historyOf(textOf(file)))
    for await (const each of Worker.runReplayHistories(optionsOf(recordingKey), histories)) replays.push(each)
  })

  test.each(recorded)('%s replays on the current workflows', file => {
    const { workflowId, error } = replays[recorded.indexOf(file)] ?? {}
    expect(workflowId).toBe(historyOf(textOf(file)).workflowId)
    expect(error).toBeUndefined()
  })
})

test('a history with an activity of another name does not replay', async () => {
  const tampered = textOf('structuralEntityBulkUpsert.background.json').replaceAll(
    /("activityType":\s*\{\s*"name":\s*)"structuralEntityBulkUpsert"/g,
    '$1"another"',
  )
  await expect(replay(tampered)).rejects.toMatchObject({ name: 'DeterminismViolationError' })
})

test('a history whose run, by its input, would have used local activities does not replay', async () => {
  const other = { tenantKey: 't', jobId: 'j', queue: 'interactive' }
  await expect(replay(await withInput('structuralEntityBulkUpsert.background.json', other))).rejects.toMatchObject({
    name: 'DeterminismViolationError',
  })
})

test('a history whose endpoint, by its input, would have been called through another queue does not replay', async () => {
  const run = { tenantKey: 't', endpointKey: 'e', traceId: 'x', request: { method: 'GET', query: {} } }
  const other = { run, queue: 'provider/t/p', startBy: Date.now() }
  await expect(replay(await withInput('glueEndpoint.interactive.json', other))).rejects.toMatchObject({
    name: 'DeterminismViolationError',
  })
})

test('a history of a removed workflow type does not replay', async () => {
  const text = textOf('structuralEntityBulkUpsert.background.json')
  // Not in the id of the workflow, for which its payloads are sealed.
  const tampered = text.replaceAll(/"structuralEntityBulkUpsert"/g, '"structuralEntityBulkDelete"')
  await expect(replay(tampered)).rejects.toThrow('Replay failed')
})

test('a history sealed with another key does not replay, and says so', async () => {
  const text = textOf('structuralEntityBulkUpsert.background.json')
  await expect(replay(text, base64(Buffer.alloc(32)))).rejects.toThrow('Replay failed')
  expect(logged.at(-1)).toContain('ENCRYPTION_KEY is not the key that sealed this payload')
})

test('each history is one line', () => {
  for (const file of recorded) expect(textOf(file)).toMatch(/^.+\n$/)
})

test('all recorded histories are sealed', () => {
  const inputOf = (file: string) => JSON.parse(textOf(file)).events[0].workflowExecutionStartedEventAttributes.input
  const open = ofTenants.filter(file => inputOf(file).payloads[0].metadata.encoding !== base64('binary/encrypted'))
  expect(open).toEqual([])
})

test('a recorded history names no machine and holds nothing of a request but its size', async () => {
  const [codec] = testDataConverter(recordingKey).payloadCodecs ?? []
  for (const file of recorded) {
    const held = textsOf(await everyPayloadOpened(historyFromJSON(JSON.parse(textOf(file))), codec))
    if (ofTenants.includes(file)) expect(held.filter(text => text.includes('"tenantKey":'))).not.toEqual([])
    expect(held.filter(text => /place-|child-|"[Pp]arent|Name"/.test(text))).toEqual([])
    expect(textOf(file)).not.toMatch(otherMachine)
  }
})

describe('of the Nexus gateway', () => {
  const codec = createNexusCodec(Buffer.from(recordingKey, 'base64'))
  const options = {
    workflowBundle: { codePath: join(projectRoot, 'dist', 'nexus', 'bundle.js') },
    dataConverter: { payloadCodecs: [codec] },
  }
  const files = readdirSync(join(directory, 'nexus')).map(name => join('nexus', name))

  test('a completed, a cancelled and a failed operation are recorded', () => {
    const ends = ['cancelled', 'completed', 'failed']
    expect(files.sort()).toEqual(ends.map(how => join('nexus', `armatureOperation.${how}.json`)))
  })

  test.each(files)('%s replays, and holds nothing but what is sealed', async file => {
    const { history, workflowId } = historyOf(textOf(file))
    await Worker.runReplayHistory(options, history, workflowId)
    const [{ workflowExecutionStartedEventAttributes: begun }] = history.events
    expect(begun.input.payloads[0].metadata.encoding).toBe(base64('binary/armature-nexus'))
    expect(textOf(file)).not.toMatch(otherMachine)
  })

  test('a history with an activity of another name does not replay', async () => {
    const { history, workflowId } = historyOf(
      textOf('nexus/armatureOperation.completed.json').replace('"begin"', '"start"'),
    )
    const replayed = Worker.runReplayHistory(options, history, workflowId)
    await expect(replayed).rejects.toMatchObject({ name: 'DeterminismViolationError' })
  })
})

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')
