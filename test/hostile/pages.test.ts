// Large form pages.
import { afterAll, expect, test } from 'vitest'
import { aSmallTemplate, launchTenant } from '../support/factories.js'
import { form, page } from '../support/launches.js'
import { longestMs, minWatched } from './watched.js'

const options = Array.from({ length: 1_000 }, (_, n) => ({ value: `o${n}`, label: `Option ${n}` }))
/** The most controls, some with the most options. Each version is rendered once for those who open it. */
const versions = [1, 2, 3].map(version => {
  const controls = Array.from({ length: 1_000 }, (_, n) => ({
    id: `c${n}`,
    label: `Control ${n}`,
    ...(n < 20 ? { options } : {}),
  }))
  const repeats = [{ id: 'wounds', label: 'Wound', controls: [{ id: 'size', label: 'Size' }] }]
  return aSmallTemplate([], {
    version,
    status: 'Production',
    buildingBlocks: [{ key: 'small', version, sections: [{ id: 'only', controls, repeats }] }],
  })
})

const tenant = await launchTenant(versions)
afterAll(() => tenant.endpoint.stop())

/** How long a request for a version holds up the API. */
const held = (ask: (version: number) => ReturnType<typeof page>): Promise<number> =>
  minWatched(async time => {
    const { status, text } = await ask(time + 1)
    expect(status).toBe(200)
    expect(text).toContain('Option 999')
    expect(text).toMatch(/<\/html>\s*$/)
  })

test('a page of a thousand controls and twenty thousand options holds up nobody', async () => {
  expect(await held(version => page(tenant.path('small', version)))).toBeLessThanOrEqual(longestMs)
})

test('a posted page of three thousand fields holds up nobody', async () => {
  const fields = Array.from({ length: 980 }, (_, n): [string, string] => [`size[${n}]`, String(n)])
  const more = Array.from({ length: 980 }, (_, n): [string, string] => [`repeat:wounds[${n}]`, '1'])
  const known = Array.from({ length: 1_000 }, (_, n): [string, string] => [`c${n + 20}`, 'x'])
  const posted = [...fields, ...more, ...known, ['action', 'add:wounds:'] as [string, string]]
  const ms = await held(version => page(tenant.path('small', version), form(...posted)))
  expect(ms).toBeLessThanOrEqual(longestMs)
})
