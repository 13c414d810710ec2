// Administration endpoints for the keys that sign access tokens.
import type { Knex } from 'knex'
import Type, { type Static } from 'typebox'
import { listSigningKeys, rotateSigningKeys, type ScheduledKey } from '../../db/identity/signing-keys.js'
import { conflict } from '../../runtime/problems/problem.js'
import type { Seal } from '../../runtime/secrets/seal.js'
import { created, type Endpoint, endpoint, ok } from '../endpoint.js'

const common = { tag: 'Administration', scopes: ['PlatformAdmin'], path: '/admin/v1/signingKeys' } as const

const Time = Type.String({ format: 'date-time' })
const SigningKey = Type.Object(
  {
    kid: Type.String({ description: 'Name of the key in tokens and in the key set.' }),
    state: Type.Enum(['published', 'signing', 'verifying'], {
      description:
        'published: will sign later. signing: signs new tokens. verifying: verifies tokens that have not expired.',
    }),
    createdAt: Time,
    signsFrom: Time,
    until: Type.Union([Time, Type.Null()], {
      description: 'When the key is removed; null until another key is added.',
    }),
  },
  { $id: 'SigningKey' },
)
const SigningKeys = Type.Object({ keys: Type.Array(SigningKey) }, { $id: 'SigningKeys' })

const present = (keys: readonly ScheduledKey[]): Static<typeof SigningKeys> => ({
  keys: keys.flatMap(({ kid, state, createdAt, signsFrom, until }) =>
    state === 'over'
      ? []
      : [
          {
            kid,
            state,
            createdAt: createdAt.toISOString(),
            signsFrom: signsFrom.toISOString(),
            until: until?.toISOString() ?? null,
          },
        ],
  ),
})

interface SigningKeyDependencies {
  db: Knex
  seal: Seal
  /** The issuer of tokens, if it is not our own identity service. */
  otherIssuer: string | undefined
}

/** Lists and rotates the keys that sign access tokens. */
export const signingKeyRoutes = ({ db, seal, otherIssuer }: SigningKeyDependencies): Endpoint[] => [
  endpoint({
    ...common,
    permission: 'List:SigningKey',
    operationId: 'listSigningKeys',
    guide: 'privacy',
    summary: 'The keys of the identity service, the newest first, and their state',
    description:
      'Lists the keys with which the identity service signs access tokens, and what each is used for at present. Their public parts are in the key set of the identity service. Where tokens come from another issuer, these keys sign nothing.',
    method: 'get',
    answers: { 200: SigningKeys },
    async handle() {
      return ok(present(await listSigningKeys(db)))
    },
  }),

  endpoint({
    ...common,
    permission: 'Create:SigningKey',
    operationId: 'rotateSigningKeys',
    guide: 'privacy',
    summary:
      'Add a key: it is published now, signs in 15 minutes, and the one before goes away when its last token has expired',
    description:
      'Begins the change to a new signing key; no token becomes invalid by it. The new key is published at once and signs after 15 minutes, so that every process and verifier has read it by then. A rotation during another one is 409 `rotation-under-way`. Where tokens come from another issuer, it is 409 `other-issuer`.',
    method: 'post',
    answers: { 201: SigningKeys },
    problems: ['other-issuer', 'rotation-under-way'],
    async handle() {
      if (otherIssuer !== undefined) {
        throw conflict('other-issuer', `Tokens come from ${otherIssuer}, which has keys of its own. Rotate them there.`)
      }
      return created(present(await rotateSigningKeys(db, seal)))
    },
  }),
]
