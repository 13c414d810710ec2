// People sign in to the console with another issuer of tokens, which is a real one here: oidc-provider.
import mount from 'koa-mount'
import { interactionPolicy, Provider } from 'oidc-provider'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { signingKey, webServer } from '../support/issuer.js'
import { startOwnApi } from '../support/own-api.js'
import { sharedBrowser } from '../support/test-programs.js'

const scopes = 'FrameApi FormsApi'
// The console is a client of the tenant, whose permissions count.
const tenant = await newTenant(inject('baseUrl'))
/** Nobody is asked for a consent. */
const prompts = interactionPolicy.base()
let issuer: Awaited<ReturnType<typeof webServer>>
let mine: Awaited<ReturnType<typeof startOwnApi>>

beforeAll(async () => {
  const keys = [(await signingKey('k')).jwk]
  let provider: Provider | undefined
  issuer = await webServer(base => {
    provider ??= new Provider(base, {
      jwks: { keys },
      clients: [
        {
          client_id: tenant.clientId,
          token_endpoint_auth_method: 'none',
          redirect_uris: [`${mine.baseUrl}/console/signed-in`],
        },
      ],
      clientBasedCORS: () => true,
      scopes: ['openid', ...scopes.split(' ')],
      claims: { openid: ['sub', 'name', 'tenant_key'] },
      conformIdTokenClaims: false,
      extraTokenClaims: () => ({ tenant_key: tenant.tenantKey }),
      findAccount: (_ctx, sub) => ({
        accountId: sub,
        claims: () => ({ sub, name: 'Ada Byron', tenant_key: tenant.tenantKey }),
      }),
      async loadExistingGrant(ctx) {
        const accountId = ctx.oidc.session?.accountId ?? ''
        const grant = new ctx.oidc.provider.Grant({ accountId, clientId: tenant.clientId })
        grant.addOIDCScope('openid')
        grant.addResourceScope('urn:armature', scopes)
        await grant.save()
        return grant
      },
      features: {
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => 'urn:armature',
          useGrantedResource: () => true,
          getResourceServerInfo: () => ({ scope: scopes, audience: 'armature', accessTokenFormat: 'jwt' }),
        },
      },
      interactions: {
        url: (_ctx, { uid }) => `/ask/${uid}`,
        policy: [prompts.get('login')].flatMap(prompt => prompt ?? []),
      },
    })
    const known = provider
    const answer = mount('/', known)
    return async (ctx, next) => {
      if (!ctx.path.startsWith('/ask/')) return answer(ctx, next)
      return ctx.redirect(await known.interactionResult(ctx.req, ctx.res, { login: { accountId: 'ada' } }))
    }
  })
  mine = await startOwnApi({ IDENTITY_AUTHORITY: issuer.base, CONSOLE_CLIENT_ID: tenant.clientId })
  await mine.live()
}, 60_000)
afterAll(async () => {
  await mine.stop()
  await issuer.stop()
})

test('a person signs in with an issuer that is not ours, as its client, and has no account here', async () => {
  const context = await (await sharedBrowser()).newContext()
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${mine.baseUrl}/console/jobs`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Jobs' }).waitFor()
  expect(page.url()).toBe(`${mine.baseUrl}/console/jobs`)
  await page.getByText('No job is like that').or(page.getByRole('table')).first().waitFor()
  expect(await page.locator('header').textContent()).toContain(tenant.tenantKey)
  expect(await page.getByRole('link', { name: 'Your account' }).count()).toBe(0)
  expect((await fetch(`${mine.baseUrl}/identity/account`)).status).toBe(404)
})
