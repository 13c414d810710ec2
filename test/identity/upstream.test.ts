// People sign in with another issuer, which is a real one here: oidc-provider, whose people are who the test says.
import mount from 'koa-mount'
import { Provider } from 'oidc-provider'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { admin, newTenant } from '../support/api.js'
import { aPerson } from '../support/console.js'
import { signingKey, webServer } from '../support/issuer.js'
import { startOwnApi } from '../support/own-api.js'
import { authorizeUrl, newBrowser } from '../support/people.js'

/** Who signs in at the issuer next. */
let who = { sub: 'none', email: '', email_verified: true }
let issuer: Awaited<ReturnType<typeof webServer>>
let mine: Awaited<ReturnType<typeof startOwnApi>>
const tenant = await newTenant(inject('baseUrl'))

beforeAll(async () => {
  const keys = [(await signingKey('k')).jwk]
  let provider: Provider | undefined
  issuer = await webServer(base => {
    provider ??= new Provider(base, {
      jwks: { keys },
      cookies: { names: { session: 'theirs', interaction: 'their-sign-in', resume: 'their-resume' } },
      clients: [
        {
          client_id: 'armature',
          client_secret: 'of-armature',
          redirect_uris: [`${mine.baseUrl}/identity/upstream`],
          token_endpoint_auth_method: 'client_secret_post',
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: [] },
      conformIdTokenClaims: false,
      findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ ...who, sub }) }),
      async loadExistingGrant(ctx) {
        const grant = new ctx.oidc.provider.Grant({
          accountId: ctx.oidc.session?.accountId ?? '',
          clientId: 'armature',
        })
        grant.addOIDCScope('openid email profile')
        await grant.save()
        return grant
      },
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_ctx, { uid }) => `/ask/${uid}` },
    })
    const known = provider
    const answer = mount('/', known)
    return async (ctx, next) => {
      if (!ctx.path.startsWith('/ask/')) return answer(ctx, next)
      return ctx.redirect(await known.interactionResult(ctx.req, ctx.res, { login: { accountId: who.sub } }))
    }
  })
  mine = await startOwnApi({
    SIGN_IN_ISSUER: issuer.base,
    SIGN_IN_CLIENT_ID: 'armature',
    SIGN_IN_CLIENT_SECRET: 'of-armature',
  })
  await mine.live()
}, 60_000)
afterAll(async () => {
  await mine.stop()
  await issuer.stop()
})

/** Follows redirects, from the choice of the issuer on. @returns where they end. */
async function withIssuer(tenantKey = tenant.tenantKey, browser = newBrowser()) {
  const begun = await browser.send(authorizeUrl({}, mine.baseUrl))
  let answer = await browser.send(new URL(begun.location, mine.baseUrl), { tenant: tenantKey, issuer: 'yes' })
  const way: string[] = []
  for (let at = mine.baseUrl; answer.location !== '' && !answer.location.includes('/console/'); ) {
    const next = new URL(answer.location, at)
    at = next.origin
    way.push(next.href)
    answer = await browser.send(next)
  }
  return { ...answer, way, refusal: /role="alert">([^<]*)/.exec(answer.text)?.[1] }
}
const isIn = ({ location }: { location: string }) => location.startsWith(`${mine.baseUrl}/console/signed-in?code=`)

test('a person signs in by the verified address, and from then on by who the issuer says it is', async () => {
  const person = await aPerson(tenant.tenantKey, 'owner')
  who = { sub: 'ada', email: person.email.toUpperCase(), email_verified: true }
  expect(isIn(await withIssuer())).toBe(true)
  who = { sub: 'ada', email: 'moved@example.org', email_verified: true }
  expect(isIn(await withIssuer())).toBe(true)
  who = { sub: 'somebody else', email: person.email, email_verified: true }
  expect((await withIssuer()).refusal).toContain('no account in this tenant')
})

test('an address that is not verified, an account of another tenant, a disabled one and none sign nobody in', async () => {
  const person = await aPerson(tenant.tenantKey, 'owner')
  who = { sub: 'bob', email: person.email, email_verified: false }
  expect((await withIssuer()).refusal).toContain('no account')
  who = { ...who, email_verified: true }
  expect((await withIssuer((await newTenant(inject('baseUrl'))).tenantKey)).refusal).toContain('no account')
  const platform = await admin(inject('baseUrl'))
  const path = `/admin/v1/tenants/${tenant.tenantKey}/accounts/${person.id}`
  await platform.put(path, { name: 'Bob', roles: ['owner'], disabled: true })
  expect((await withIssuer()).refusal).toContain('no account')
})

test('the answer of the issuer counts once, and in the browser that has begun', async () => {
  const person = await aPerson(tenant.tenantKey, 'owner')
  who = { sub: 'cleo', email: person.email, email_verified: true }
  const browser = newBrowser()
  const { way } = await withIssuer(tenant.tenantKey, browser)
  const back = way.find(each => each.includes('/back?')) ?? ''
  for (const stranger of [newBrowser(), browser]) expect((await stranger.send(back)).status).toBe(400)
  expect((await newBrowser().send(new URL('/identity/upstream?code=x&state=y', mine.baseUrl))).status).toBe(400)
})

test('the page offers the issuer, and its form may lead there alone', async () => {
  const browser = newBrowser()
  const { location } = await browser.send(authorizeUrl({}, mine.baseUrl))
  const { text, response } = await browser.send(new URL(location, mine.baseUrl))
  expect(text).toContain(`Sign in with ${new URL(issuer.base).host}`)
  expect(response.headers.get('content-security-policy')).toContain(`form-action 'self' ${issuer.base};`)
})
