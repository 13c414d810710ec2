// Decides which passwords people may choose.
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import type { Account } from '../../db/identity/accounts.js'

/** Fewest characters of a password. */
export const minPasswordLength = 12
/** Most characters of a password. What is longer costs nothing but time. */
export const maxPasswordLength = 256

/** The lowest score that is accepted: more than 10^8 guesses, by whoever knows what people choose and has stolen the hash. */
const lowestScore = 3

/** Made when it is first needed, since the list of 49,000 passwords that were found in breaches takes 10 MB. */
let estimator: ZxcvbnFactory | undefined

/** Returns a password as it is hashed: however its accents were typed, they are the same. */
export const storedPassword = (password: string): string => password.normalize('NFC')

/**
 * Returns what is wrong with a password, for its owner; undefined if it may be used. Passwords that were found in breaches, and patterns
 * such as dates and rows of keys, are refused, however long.
 * @param known what others know of the person, such as the e-mail address.
 */
export function passwordFault(password: string, known: readonly string[]): string | undefined {
  const length = [...password].length
  if (length < minPasswordLength)
    return `The password has ${length} characters. It needs at least ${minPasswordLength}.`
  if (length > maxPasswordLength)
    return `The password has more than ${maxPasswordLength} characters. Choose a shorter one.`
  estimator ??= new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
  const words = known.flatMap(text => [text, ...text.split(/[^\p{L}\p{N}]+/u)]).filter(word => word.length > 2)
  const { score } = estimator.check(storedPassword(password), words)
  return score < lowestScore
    ? 'The password is easy to guess: it is often used, contains your name or e-mail address, or follows a pattern. Choose another.'
    : undefined
}

/** Returns what is wrong with the new password of a form, which has it twice; undefined if the person may have it. */
export const newPasswordFault = (
  fields: ReadonlyMap<string, string>,
  { email, name, tenantKey }: Pick<Account, 'email' | 'name' | 'tenantKey'>,
): string | undefined => {
  const password = fields.get('password') ?? ''
  return password === fields.get('again')
    ? passwordFault(password, [email, name, tenantKey])
    : 'The two passwords differ. Type the same twice.'
}
