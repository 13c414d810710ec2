import { expect, test } from 'vitest'
import { readConfig } from '../../runtime/config.js'

const needed = { DATABASE_URL: 'mysql://x/x', ENCRYPTION_KEY: Buffer.alloc(32).toString('base64') }
const [SMTP_URL, SMTP_FROM] = ['smtp://user:s3cret@mail.example:587', 'Armature <no-reply@armature.example>']

test('without SMTP_URL there is no mail server, whatever the sender', () => {
  expect(readConfig(needed).smtp).toBeUndefined()
  expect(readConfig({ ...needed, SMTP_URL: '', SMTP_FROM }).smtp).toBeUndefined()
})

test('a mail server comes with its sender', () => {
  expect(readConfig({ ...needed, SMTP_URL, SMTP_FROM }).smtp).toEqual({ url: SMTP_URL, from: SMTP_FROM })
})

test.each([
  ['SMTP_FROM', { SMTP_URL }],
  ['SMTP_FROM', { SMTP_URL, SMTP_FROM: 'nobody' }],
  ['SMTP_URL', { SMTP_URL: 'user:s3cret@mail.example', SMTP_FROM }],
  ['SMTP_URL', { SMTP_URL: 'https://user:s3cret@mail.example', SMTP_FROM }],
])('the sentence that stops a start names %s, and no value', (name, env) => {
  const start = () => readConfig({ ...needed, ...env })
  expect(start).toThrow(new RegExp(`^The environment is not usable:\n  ${name} `))
  expect(start).not.toThrow(/s3cret/)
})
