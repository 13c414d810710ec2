// The demo tenants of `npm start`.
import { expect, inject, test } from 'vitest'
import { admin } from '../support/api.js'

/** `name: type`, `!` where a value is required, `[]` for an array. */
const fields = [
  'givenName: Text!',
  'familyName: Text!',
  'nationalId: Text!',
  'dateOfBirth: Date',
  'email: Text',
  'phone: PhoneNumber',
  'languages: Text[]',
  'keyWorker: UserIdentifier',
  'consent: Boolean',
  'weight: Number',
]

interface Manifest {
  subjects: { fields: { key: string; type: string; required: boolean; isArray: boolean }[] }
  users: { id: string; displayName: string; active: boolean }[]
}

test.each([
  ['demo', 12],
  ['other', 3],
])(
  'the tenant %s of npm start has the subject fields, portal and users that guides and tests rely on',
  async (key, users) => {
    const { body } = await (await admin(inject('baseUrl'))).get<Manifest>(`/admin/v1/tenants/${key}`)
    const shown = body.subjects.fields.map(
      ({ key, type, required, isArray }) => `${key}: ${type}${required ? '!' : ''}${isArray ? '[]' : ''}`,
    )
    expect(shown).toEqual(fields)
    expect(body.subjects).toMatchObject({
      matchingFields: ['nationalId'],
      upsert: true,
      portal: {
        selfAccess: true,
        thirdParty: true,
        matchingFields: ['email', 'dateOfBirth'],
        emailField: 'email',
        displayNameFields: ['givenName', 'familyName'],
      },
    })
    expect(body.users).toHaveLength(users)
    expect(new Set(body.users.map(({ id }) => id)).size).toBe(users)
  },
)
