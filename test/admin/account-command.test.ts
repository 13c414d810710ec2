// `armature account` creates the account of a person, and prints the link with which the person chooses a password.
import { expect, inject, test } from 'vitest'
import { newTenant } from '../support/api.js'
import { armature } from '../support/armature.js'
import { newBrowser, sendPassword } from '../support/people.js'
import { setUpApp } from '../support/second-factor.js'

const { tenantKey } = await newTenant(inject('baseUrl'))
const email = 'Ada@example.org'

test('a new account gets a link, a known one another, and what does not fit is refused in a sentence', async () => {
  const unknown = await armature(['account', tenantKey, email])
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('give --name and --role') })
  const made = await armature(['account', tenantKey, email, '--name', 'Ada Byron', '--role', 'owner'])
  const again = await armature(['account', tenantKey, email])
  const links = [made, again].map(({ stdout }) => /http\S+\/identity\/password\?link=\S+/.exec(stdout)?.[0] ?? '')
  expect(new Set(links).size).toBe(2)
  const password = 'nine slow herons wade'
  expect((await newBrowser().send(links[1] ?? '', { password, again: password })).status).toBe(200)
  expect((await sendPassword(newBrowser(), { tenantKey, email, password })).status).toBe(303)
  const twice = await armature(['account', tenantKey, email, '--name', 'Ada Byron'])
  expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('exists') })
  await setUpApp({ tenantKey, email, password })
  const removed = await armature(['account', tenantKey, email, '--remove-second-factors'])
  expect(removed).toMatchObject({ code: 0, stdout: expect.stringContaining('are removed') })
  expect((await sendPassword(newBrowser(), { tenantKey, email, password })).status).toBe(303)
  const strange = await armature(['account', tenantKey, 'x@example.org', '--name', 'X', '--role', 'king'])
  expect(strange).toMatchObject({ code: 1, stderr: expect.stringContaining("no role 'king'") })
})
