// The way of people who look after an installation, in a browser: a night's failure is found and mended, a client gets a new secret while
// it calls, and all of it is in the audit. `npm run tour` takes the pictures of docs/console.md on this way.
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, Page } from 'playwright-core'
import { expect, inject, test } from 'vitest'
import { connect } from '../../dev/demo/client.js'
import { frenchPlaces } from '../../dev/demo/french-places.js'
import { importPeople } from '../../dev/demo/import-people.js'
import { importPlaces } from '../../dev/demo/places.js'
import { admin, tokenOf } from '../support/api.js'
import { aPerson, openConsole, signIn, typePassword } from '../support/console.js'
import { subjectTenant } from '../support/factories.js'
import { accessibilityFaults, show } from '../support/form-pages.js'
import { codeAt, setUpApp } from '../support/second-factor.js'
import { personWith } from '../support/subjects.js'

/** What the people are called whose names the night's file lacks. */
const familyNames = ['Martin', 'Bernard', 'Dubois', 'Petit', 'Durand', 'Leroy', 'Moreau', 'Laurent', 'Girard', 'Roux']

/** Small enough for a picture in a text. */
const desk = { viewport: { width: 1280, height: 640 } }

/** Looks at a page: takes its picture, and finds nothing serious that keeps somebody from using it. */
async function look(page: Page, name: string): Promise<void> {
  await page.locator('.loading').waitFor({ state: 'detached' })
  await show(page, name)
  expect(await accessibilityFaults(page)).toEqual([])
}

test('with a second factor, a night’s failure is found and mended, a secret is changed while its client calls, and the audit has it all', async () => {
  const tenant = await subjectTenant()
  const { tenantKey, clientId, clientSecret } = tenant
  // The night: what `npm run demo` imports, with the rows that it leaves for a person.
  const places = frenchPlaces()
  const night = connect(inject('baseUrl'), { id: clientId, secret: clientSecret, tenantKey }, 'FrameApi')
  await importPlaces(night, places)
  await importPeople(night, places, () => undefined)

  const page = await openConsole('', desk)
  const owner = await aPerson(tenantKey, 'owner')
  const { secret: app } = await setUpApp(owner)
  const morning = Date.now()
  await page.getByRole('button', { name: 'Sign in' }).click()
  await typePassword(page, owner)
  // The app has just shown its present code, and no code counts twice.
  await page.getByLabel('Code').fill(codeAt(app, 1))
  await look(page, 'tour-code')
  await page.getByRole('button', { name: 'Go on' }).click()
  await page.getByText('An import has refused 10 rows.').waitFor()
  await look(page, 'tour-attention')
  await page.getByRole('link', { name: 'An import has refused 10 rows.' }).click()
  const names = page.getByLabel(/^familyName of row/)
  await names.nth(9).waitFor()
  for (const [n, name] of familyNames.entries()) await names.nth(n).fill(name)
  const id = await page
    .getByLabel(/^nationalId of row/)
    .nth(9)
    .inputValue()
  await look(page, 'console-job')
  const refusing = page.url()
  await page.getByRole('button', { name: 'Send 10 corrected rows' }).click()
  await page.waitForURL(url => /jobs\/[0-9a-f-]+$/.test(url.pathname) && url.href !== refusing)
  await page.getByText('Completed').waitFor()
  expect(Date.now() - morning, 'ms from the sign-in to the repair').toBeLessThan(180_000)
  expect(await personWith(tenant, id)).toMatchObject({ familyName: familyNames[9] })

  const corrected = page.url()
  await openPayloads(page.context())
  const [run] = await Promise.all([
    page.waitForEvent('popup'),
    page.getByRole('link', { name: 'Its run in the Temporal UI' }).click(),
  ])
  await run.getByText('Completed').first().waitFor()
  await run.getByText('User Metadata').first().click()
  // The UI shows each text in a frame of its own.
  const back = run.frameLocator('iframe >> nth=1').getByRole('link', { name: 'The job in the console' })
  await back.waitFor()
  await show(run, 'tour-run')
  const [again] = await Promise.all([page.context().waitForEvent('page'), back.click()])
  await again.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(again.url()).toBe(corrected)
  await run.close()
  await page.getByRole('link', { name: 'Attention' }).click()
  await page.getByText('Nothing waits').waitFor()
  await page.getByRole('link', { name: 'Jobs', exact: true }).click()
  await page.getByRole('row', { name: 'Ada Byron' }).waitFor()
  await look(page, 'console-jobs')

  const platform = await openConsole(`tenants/${tenantKey}`, desk)
  await signIn(platform, await aPerson('platform', 'admin', 'security'))
  platform.on('dialog', dialog => void dialog.accept())
  const calls = caller({ id: clientId, secret: clientSecret, tenantKey, scope: 'FrameApi' })
  await platform.getByRole('button', { name: `New secret for ${clientId}` }).click()
  const secret = await platform.getByRole('status').locator('code').textContent()
  await look(platform, 'tour-secret')
  calls.use(secret ?? '')
  await calls.count(20)
  await platform.getByRole('button', { name: `End the old secret of ${clientId}` }).click()
  await platform.getByText('Its old secret ends').waitFor({ state: 'detached' })
  await calls.count(20)
  expect(await calls.stop()).toEqual([])

  await platform.getByRole('link', { name: 'what was done' }).click()
  for (const action of ['sign in', 'import subjects', 'retry job', 'put tenant'])
    await platform
      .getByRole('row', { name: new RegExp(`^${action}`) })
      .first()
      .waitFor()
  await platform.getByText('/secret updated').waitFor()
  await platform.getByText('Filter', { exact: true }).click()
  await platform.getByLabel('Outcome').selectOption('done')
  await platform.getByRole('button', { name: 'Show' }).click()
  await platform.getByText('/secret updated').waitFor()
  await look(platform, 'tour-audit')

  const stranger = await openConsole(new URL(corrected).pathname.replace('/console/', ''), desk)
  await signIn(stranger, await aPerson((await subjectTenant()).tenantKey, 'owner'))
  await stranger.getByText('There is no job').waitFor()
  await stranger.getByRole('link', { name: 'Attention' }).click()
  await stranger.getByText('Nothing waits').waitFor()
})

/** Lets the Temporal UI show payloads, with the token that it has when people sign in to it. Here it asks nobody to. */
async function openPayloads(context: BrowserContext): Promise<void> {
  const { token } = await admin(inject('baseUrl'))
  const settings = { endpoint: `${inject('baseUrl')}/temporal/codec`, overrideRemoteCodecConfiguration: true }
  const saved = Object.entries(settings).map(([name, value]) => [name, JSON.stringify(value)])
  await context.addInitScript(`for (const each of ${JSON.stringify(saved)}) localStorage.setItem(...each)`)
  await context.route('**/temporal/codec/decode*', route =>
    route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${token}` } }),
  )
}

/** Calls as a client that gets a token for each call, until it is stopped. */
function caller(first: Parameters<typeof tokenOf>[1]) {
  let client = first
  let done = 0
  let isStopped = false
  const failed: unknown[] = []
  const call = async () => {
    const token = await tokenOf(inject('baseUrl'), client)
    const headers = { authorization: `Bearer ${token}` }
    const { status } = await fetch(`${inject('baseUrl')}/api/v1/jobs?First=1`, { headers })
    if (status !== 200) throw new Error(`${status}`)
  }
  const going = (async () => {
    while (!isStopped) {
      await call().catch((error: unknown) => failed.push(error))
      done++
      await sleep(20)
    }
  })()
  return {
    use(secret: string) {
      client = { ...client, secret }
    },
    /** Waits for so many calls more. */
    async count(more: number) {
      for (const last = done + more; done < last; ) await sleep(50)
    },
    /** @returns the faults of the calls that failed. */
    async stop() {
      isStopped = true
      await going
      return failed
    },
  }
}
