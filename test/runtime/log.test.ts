// Errors in the log.
import { expect, inject, test } from 'vitest'
import { connect } from '../../db/connect.js'
import { loggable } from '../../runtime/observe/log.js'
import { Problem } from '../../runtime/problems/problem.js'

const marker = 'Ada Lovelace 1815'

test('a failed statement is logged by its code: neither the statement nor its values', async () => {
  const db = connect(inject('databaseUrl'), { poolSize: 1 })
  const failures = [
    db.raw('SELECT ? FROM no_such_table', [marker]),
    db('structural_entities').insert({ tenant_id: marker }),
    db('tenants').insert({ id: 1, tenant_key: marker, name: marker, limits: '{}', updated_at: new Date() }),
  ].map(query =>
    query.then(
      () => undefined,
      (error: unknown) => error,
    ),
  )
  const errors = await Promise.all(failures)
  await db.destroy()
  for (const error of errors) {
    const wrapped = new Problem('internal', 'detail', [], {}, { cause: error })
    const logged = JSON.stringify([loggable(error), loggable(wrapped)])
    expect(logged).toMatch(/A statement failed: ER_/)
    expect(logged).not.toContain(marker)
    expect(logged.toLowerCase()).not.toContain('insert')
  }
})

test('an error is logged with its cause and its stack', () => {
  const logged = loggable(new Error('outer', { cause: new TypeError('inner') }))
  expect(logged).toMatchObject({ type: 'Error', message: 'outer', cause: { type: 'TypeError', message: 'inner' } })
  expect(JSON.stringify(logged)).toContain('log.test')
})
