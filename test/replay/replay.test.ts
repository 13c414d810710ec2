import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import { beforeAll, expect, test } from 'vitest'
import { projectRoot } from '../../dev/programs.js'
import * as workflows from '../../workflows/index.js'
import { jobKinds } from '../../workflows/jobs/contracts.js'

const directory = join(projectRoot, 'test', 'replay')
const recorded = readdirSync(directory).filter(name => name.endsWith('.json'))
const workflowBundle = { codePath: join(projectRoot, 'dist', 'workflows', 'bundle.js') }

beforeAll(() => {
  // The SDK would print the violations that the tampered history is there to cause.
  Runtime.install({
    logger: new DefaultLogger('ERROR', () => {}),
    telemetryOptions: { logging: { forward: {}, filter: 'OFF' } },
  })
})

const textOf = (file: string) => readFileSync(join(directory, file), 'utf8')
const replay = (history: string) => Worker.runReplayHistory({ workflowBundle }, JSON.parse(history), 'tenant/kind/job')

// How to record: see record.ts.
test('every workflow type has a recorded history, and every kind of job a workflow type', () => {
  const types = Object.keys(workflows).sort()
  expect([...jobKinds].sort()).toEqual(types)
  expect([...new Set(recorded.map(file => file.split('.')[0]))].sort()).toEqual(types)
})

test.each(recorded)('%s, recorded from a real run, replays on the current workflows', async file => {
  await replay(textOf(file))
})

test('a history with an activity of another name does not replay', async () => {
  const tampered = textOf('structuralEntityBulkUpsert.background.json').replace('"applyChunks"', '"applyOtherChunks"')
  await expect(replay(tampered)).rejects.toMatchObject({ name: 'DeterminismViolationError' })
})

test('a history whose run, by its input, would have used local activities does not replay', async () => {
  const text = textOf('structuralEntityBulkUpsert.background.json')
  const tampered = text.replace(/(?<="data": ")[^"]*/g, data =>
    base64(Buffer.from(data, 'base64').toString().replace('"queue":"background"', '"queue":"interactive"')),
  )
  expect(tampered).not.toBe(text)
  await expect(replay(tampered)).rejects.toMatchObject({ name: 'DeterminismViolationError' })
})

test('a history of a type that is not there any more does not replay', async () => {
  const text = textOf('structuralEntityBulkUpsert.background.json')
  const tampered = text.replaceAll('structuralEntityBulkUpsert', 'structuralEntityBulkDelete')
  await expect(replay(tampered)).rejects.toThrow('structuralEntityBulkDelete')
})

test('a recorded history names no machine and holds nothing of a request but its size', () => {
  for (const file of recorded) {
    const held = [...textOf(file).matchAll(/"data": "([^"]*)"/g)].map(([, data]) =>
      Buffer.from(data ?? '', 'base64').toString(),
    )
    expect(held.length).toBeGreaterThan(0)
    expect(held.filter(text => /place-|child-|parent|Name/i.test(text))).toEqual([])
    expect([...textOf(file).matchAll(/"identity": "\d+@(.*)"/g)].filter(([, host]) => host !== 'recorder')).toEqual([])
  }
})

const base64 = (text: string) => Buffer.from(text).toString('base64')
