// Every page for people, filled with texts that were made to hurt: on a phone and at a desk, in the light and in the dark, for a screen
// reader and by the keyboard alone.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { aLink, anAccount, openConsole, type Person, signIn, typePassword, withPassword } from '../support/console.js'
import { refreshed, refreshPath, type ScriptedProvider, scriptedGlue, scriptedProvider } from '../support/data-sets.js'
import { anEntity, aType, type FormsTenant, notesTenant, point, whole } from '../support/factories.js'
import type { JobBody } from '../support/faults.js'
import { accessibilityFaults, desk, phone, show, watched } from '../support/form-pages.js'
import { paths, put } from '../support/frame.js'
import { csv, imported } from '../support/imports.js'
import { endedRun, openTemporal } from '../support/jobs.js'
import { startOwnApi } from '../support/own-api.js'
import { effectiveDate, file, formOf, formType, title } from '../support/records.js'
import { setUpApp } from '../support/second-factor.js'
import { patch, texts } from '../support/subjects.js'

const baseUrl = inject('baseUrl')
const script = `"'></title></textarea><img src=x onerror="window.ran=1"><script>window.ran=1</script>`
const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft'
/** A text of each kind that breaks pages: code, a script from right to left, and a word that is wider than a phone. */
const hostile = `${script} محمد بن عبد الله ${long}`

const temporal = await openTemporal()
let provider: ScriptedProvider
let tenant: FormsTenant
let owner: Person
const jobs: Record<'refusing' | 'failed' | 'waiting' | 'bulk', string> = {
  refusing: '',
  failed: '',
  waiting: '',
  bulk: '',
}

beforeAll(async () => {
  provider = await scriptedProvider()
  const notes = await notesTenant({ title: hostile, classification: hostile, language: 'ar' })
  tenant = notes.tenant
  const { subjectId } = tenant
  const extracts = { [hostile]: {}, [`${hostile} 2`]: {} }
  await tenant.change({
    name: hostile,
    glue: scriptedGlue(provider.url, { extracts, provider: { retrySeconds: 3_600 } }),
  })
  await put(tenant, paths.types, aType('unit', { Name: hostile }))
  const { body: bulk } = await tenant.put<JobBody>(
    `${paths.entities}/bulk`,
    [anEntity(hostile, { DisplayName: hostile }), anEntity('below', { DisplayName: hostile, ParentKey: hostile })],
    { prefer: 'respond-async' },
  )
  jobs.bulk = bulk.jobId
  await endedRun(temporal, bulk)
  await patch(tenant, subjectId, texts({ givenName: hostile, familyName: hostile }))
  await tenant.put(`/api/v1/subject/${subjectId}/structuralEntities`, { keys: [hostile] })
  const letter = formOf([title(hostile), effectiveDate(), file('%PDF-1.7')]).toString()
  await tenant.send('POST', `/api/v1/subjects/${subjectId}/file/upload`, letter, { 'content-type': formType })
  await notes.patient.submit(await notes.patient.created(), whole)
  const cell = `"${hostile.replaceAll('"', '""')}"`
  jobs.refusing = (await imported(tenant, csv(`in-1,${cell},${cell},${cell},,,,${cell}`))).jobId
  const asAWhole = { query: { Mode: 'all' } }
  jobs.failed = (await imported(tenant, csv(`in-2,${cell},${cell},,,,,${cell.slice(0, -1)} 3"`), asAWhole)).jobId
  provider.says(() => ({ dataPoints: [point(hostile, 'person', hostile)], next: null }))
  await refreshed(tenant, encodeURIComponent(hostile))
  provider.says(() => ({ status: 503, headers: { 'retry-after': '900' }, body: hostile }))
  const path = refreshPath(encodeURIComponent(`${hostile} 2`))
  jobs.waiting = (await tenant.post<JobBody>(path, undefined, { prefer: 'respond-async' })).body.jobId
  owner = await withPassword(await anAccount(tenant.tenantKey, ['owner'], undefined, hostile))
}, 120_000)
afterAll(() => provider?.stop())

/** Opens an address, and waits until all of the page is there. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(new URL(path, baseUrl).href)
  // The description of the API draws its operations after its heading, these at last.
  await page
    .locator(path === 'docs' ? '[id^=operations-webhooks]' : 'h1, h2')
    .first()
    .waitFor()
  await expect.poll(() => page.locator('.loading').count()).toBe(0)
}

/** Looks at a page in both sizes and colours, and walks through it with the keyboard. @returns what is wrong with it. */
async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = []
  for (const [size, { viewport }] of Object.entries({ phone, desk })) {
    await page.setViewportSize(viewport)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await show(page, `${name}-${size}-${colorScheme}`)
      // Swagger UI has links within what opens an operation, which only its makers can change.
      const found = (await accessibilityFaults(page)).filter(fault => !/^nested-interactive: #operations-/.test(fault))
      for (const fault of found) faults.push(`${name}, ${size}, ${colorScheme}: ${fault}`)
    }
    const wider = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    if (wider > 0) faults.push(`${name}, ${size}: it is ${wider} px too wide`)
  }
  for (const element of await unreached(page)) faults.push(`${name}: the keyboard does not reach ${element}`)
  if (await page.evaluate('window.ran')) faults.push(`${name}: a text has run as a script`)
  return faults
}

/** Presses Tab until it has been everywhere, or long enough. @returns what can be used and was not reached. */
async function unreached(page: Page): Promise<string[]> {
  const left = (): Promise<string[]> =>
    page.evaluate(`[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
      .filter(each => each.tabIndex >= 0 && !each.disabled && each.checkVisibility() && !reached.has(each))
      .filter(each => each.type !== 'radio' || ![...reached].some(({ name }) => name === each.name))
      .map(each => each.outerHTML.slice(0, 200))`)
  await page.evaluate(`{
    globalThis.reached = new Set()
    document.activeElement.blur()
    document.addEventListener('focusin', ({ target }) => reached.add(target))
  }`)
  // A date has four stops. Some pages go on being drawn meanwhile.
  for (let pressed = 0; ; pressed += 10) {
    const unseen = await left()
    const stops = (await page.evaluate<number>('reached.size')) + unseen.length
    if (unseen.length === 0 || pressed > 4 * stops + 20) return unseen
    for (let n = 0; n < 10; n++) await page.keyboard.press('Tab')
  }
}

/** Looks at pages one after the other, and finds nothing wrong with any of them. */
async function lookAt(page: Page, pages: Record<string, string>): Promise<void> {
  const wrong = watched(page, baseUrl)
  const faults: string[] = []
  for (const [name, path] of Object.entries(pages)) {
    await open(page, path)
    faults.push(...(await faultsOf(page, name)))
  }
  // What somebody may not see, or what is not there, is refused on purpose.
  expect([...faults, ...wrong.filter(each => !each.startsWith('Failed to load resource'))]).toEqual([])
}

const limit = 600_000

test(
  'every page of a tenant',
  async () => {
    const page = await openConsole()
    await signIn(page, owner)
    const key = encodeURIComponent(hostile)
    await lookAt(page, {
      attention: 'console/',
      jobs: 'console/jobs',
      'no jobs': 'console/jobs?Status=Cancelled',
      refusing: `console/jobs/${jobs.refusing}`,
      failed: `console/jobs/${jobs.failed}`,
      waiting: `console/jobs/${jobs.waiting}`,
      bulk: `console/jobs/${jobs.bulk}`,
      'no job': 'console/jobs/none',
      'data-sets': 'console/data-sets',
      'data-set': `console/data-sets/${key}?Subject=person`,
      people: 'console/people',
      place: `console/people?Place=${key}`,
      person: `console/people/${tenant.subjectId}`,
      audit: 'console/audit',
      accounts: 'console/accounts',
      'no page': `console/${key}`,
      account: 'identity/account',
      'set-up': 'identity/account/second-factor',
    })
    await open(page, `console/people/${tenant.subjectId}`)
    const [form] = await Promise.all([
      page.waitForEvent('popup'),
      page.getByRole('row', { name: 'Complete' }).getByRole('link').click(),
    ])
    await form.getByText('Must', { exact: true }).waitFor()
    expect(await faultsOf(form, 'form')).toEqual([])
    await form.goto(`${baseUrl}/forms/${tenant.tenantKey}/instances/${tenant.subjectId}/versions/${tenant.subjectId}`)
    await form.getByText('There is no such form').waitFor()
    expect(await faultsOf(form, 'notice')).toEqual([])
  },
  limit,
)

test(
  'every page of the platform',
  async () => {
    const account = await anAccount('platform', ['admin', 'security'], undefined, hostile)
    const page = await openConsole()
    await signIn(page, await withPassword(account))
    await lookAt(page, {
      'platform-attention': 'console/',
      'platform-jobs': `console/jobs?Tenant=${tenant.tenantKey}`,
      tenants: `console/tenants?Search=${tenant.tenantKey}`,
      tenant: `console/tenants/${tenant.tenantKey}`,
      'platform-audit': `console/audit?Tenant=${tenant.tenantKey}`,
    })
  },
  limit,
)

test(
  'every page for whoever is not signed in',
  async () => {
    // Only an API that mails has the page for a forgotten password.
    const mailing = await startOwnApi({ SMTP_URL: 'smtp://127.0.0.1:9', SMTP_FROM: 'Armature <armature@example.org>' })
    onTestFinished(() => mailing.stop())
    await mailing.live()
    const page = await openConsole()
    await open(page, `${mailing.baseUrl}/identity/forgot`)
    expect(await faultsOf(page, 'forgotten')).toEqual([])
    await lookAt(page, {
      begin: 'console/',
      'broken sign-in': `console/signed-in?error=${encodeURIComponent(hostile)}&state=${encodeURIComponent(hostile)}`,
      'choose a password': await aLink(owner),
      'used link': `identity/password?link=${encodeURIComponent(hostile)}`,
      docs: 'docs',
      problem: 'problems/validation',
    })
    await open(page, 'console/')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await typePassword(page, { ...owner, tenantKey: hostile, password: hostile })
    await page.getByRole('alert').waitFor()
    expect(await faultsOf(page, 'sign in')).toEqual([])
    await setUpApp(owner)
    await typePassword(page, owner)
    await page.getByLabel('Code').waitFor()
    expect(await faultsOf(page, 'second factor')).toEqual([])
  },
  limit,
)

const pagesOf = {
  tenant: ['', 'jobs', 'data-sets', 'people', 'audit', 'accounts'],
  platform: ['', 'jobs', 'tenants', 'tenants/demo', 'audit'],
}

test.each([
  ['tenant', 'owner', []],
  ['tenant', 'operator', []],
  ['tenant', 'author', ['', 'jobs', 'data-sets', 'audit', 'accounts']],
  ['tenant', 'analyst', []],
  ['tenant', 'auditor', ['data-sets', 'people']],
  ['platform', 'operator', ['tenants/demo', 'audit']],
  ['platform', 'admin', ['audit']],
  ['platform', 'security', ['', 'tenants/demo']],
] as const)(
  'a page of the %s that the role %s does not see is not offered, says so in a sentence, and asks no more',
  async (whose, role, refused) => {
    const page = await openConsole()
    const key = whose === 'tenant' ? tenant.tenantKey : 'platform'
    await signIn(page, await withPassword(await anAccount(key, [role])))
    const asked: string[] = []
    page.on('response', answer => {
      if (answer.status() === 403) asked.push(new URL(answer.url()).pathname)
    })
    const links = page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link')
    const offered = await links.evaluateAll(all => all.map(each => each.getAttribute('href')?.replace('/console/', '')))
    const isRefusedAt = (path: string) => refused.some(each => each === path)
    expect(offered).toEqual(pagesOf[whose].filter(path => path !== 'tenants/demo' && !isRefusedAt(path)))
    for (const path of pagesOf[whose]) {
      await open(page, `console/${path}`)
      // Whoever does not see what waits is led to the first page that is offered.
      const isRefused = path !== '' && isRefusedAt(path)
      expect(page.url()).toBe(`${baseUrl}/console/${path === '' ? offered[0] : path}`)
      const said = page.getByText('Your roles do not let you see this.')
      expect((await said.count()) > 0, path).toBe(isRefused)
      expect(await page.getByRole('alert').count(), path).toBe(0)
      if (!isRefused) continue
      await show(page, `refused-${whose}-${role}-${path.replace('/', '-')}`)
      // Longer than the pause after which a stream that has ended is opened again.
      const before = asked.length
      await page.waitForTimeout(3_000)
      expect(asked.slice(before)).toEqual([])
    }
  },
  limit,
)
