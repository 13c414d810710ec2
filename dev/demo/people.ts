// Invents people for the demo.
import { faker as ar } from '@faker-js/faker/locale/ar'
import { faker as de } from '@faker-js/faker/locale/de'
import { faker as el } from '@faker-js/faker/locale/el'
import { faker as en } from '@faker-js/faker/locale/en'
import { faker as fr } from '@faker-js/faker/locale/fr'
import { faker as it } from '@faker-js/faker/locale/it'
import { faker as ja } from '@faker-js/faker/locale/ja'
import { faker as pl } from '@faker-js/faker/locale/pl'
import { faker as pt } from '@faker-js/faker/locale/pt_PT'
import { faker as uk } from '@faker-js/faker/locale/uk'
import { faker as vi } from '@faker-js/faker/locale/vi'
import { faker as zh } from '@faker-js/faker/locale/zh_CN'
import { maxPeople, nationalIdOf } from '../national-ids.js'

/** An invented person. The members are the subject fields of the demo tenant; see dev/demo-tenants.ts. */
export interface Person {
  nationalId: string
  givenName: string
  familyName: string
  /** An ISO date, such as 1958-03-09. */
  dateOfBirth: string
  email: string | undefined
  phone: string | undefined
  /** BCP 47 codes, the mother tongue first. */
  languages: [string, ...string[]]
  /** Id of a user. */
  keyWorker: string | undefined
  consent: boolean
  /** In kg, with one decimal. */
  weight: number
}

/** Mother tongues with the generator of matching names, and the percentage of people who have each. */
const tongues = [
  { tongue: 'fr', faker: fr, weight: 45 },
  { tongue: 'ar', faker: ar, weight: 10 },
  { tongue: 'pt', faker: pt, weight: 9 },
  { tongue: 'it', faker: it, weight: 9 },
  { tongue: 'pl', faker: pl, weight: 6 },
  { tongue: 'de', faker: de, weight: 5 },
  { tongue: 'en', faker: en, weight: 5 },
  { tongue: 'uk', faker: uk, weight: 3 },
  { tongue: 'zh', faker: zh, weight: 3 },
  { tongue: 'el', faker: el, weight: 2 },
  { tongue: 'vi', faker: vi, weight: 2 },
  { tongue: 'ja', faker: ja, weight: 1 },
].map(({ weight, ...value }) => ({ weight, value }))

/**
 * Invents people, the same in every run for the same seed. The first n are the same whatever the size.
 * National ids, e-mail addresses and phone numbers are unique and belong to nobody.
 * @param size at most {@link maxPeople}; more are not invented.
 * @param keyWorkers ids of users to choose key workers from. If empty, nobody has one.
 */
export function people(size: number, seed: number, keyWorkers: readonly string[]): Person[] {
  for (const { value } of tongues) value.faker.seed(seed)
  return Array.from({ length: Math.min(size, maxPeople) }, (_, n) => person(n, keyWorkers))
}

function person(n: number, keyWorkers: readonly string[]): Person {
  const { helpers, number, date, datatype } = fr
  const { tongue, faker } = helpers.weightedArrayElement(tongues)
  const sex = faker.person.sexType()
  const givenName = faker.person.firstName(sex)
  const familyName = faker.person.lastName(sex)
  const digits = String(n).padStart(4, '0')
  return {
    nationalId: nationalIdOf(n),
    givenName,
    familyName,
    dateOfBirth: date.between({ from: '1930-01-01', to: '2007-12-31' }).toISOString().slice(0, 10),
    email: datatype.boolean(0.8) ? `${mailName(faker, givenName, familyName)}${n + 1}@example.org` : undefined,
    phone: datatype.boolean(0.9) ? `+33 6 39 98 ${digits.slice(0, 2)} ${digits.slice(2)}` : undefined,
    languages: languages(tongue),
    keyWorker: keyWorkers.length > 0 && datatype.boolean(0.7) ? helpers.arrayElement(keyWorkers) : undefined,
    consent: datatype.boolean(0.85),
    weight: number.float({ min: 44, max: 118, fractionDigits: 1 }),
  }
}

/** Returns the mother tongue, for most people also French, and for some English. */
function languages(tongue: string): Person['languages'] {
  const more = [...(fr.datatype.boolean(0.7) ? ['fr'] : []), ...(fr.datatype.boolean(0.2) ? ['en'] : [])]
  return [tongue, ...more.filter(each => each !== tongue)]
}

/** Returns the name for an e-mail address in Latin letters, or `member` for names that faker would write as code points. */
function mailName(faker: typeof fr, givenName: string, familyName: string): string {
  const [firstName = '', lastName = ''] = [givenName, familyName].map(name =>
    name.replace(/[łŁđĐ]/g, letter => (letter.toLowerCase() === 'ł' ? 'l' : 'd')),
  )
  if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(firstName + lastName)) return 'member'
  const name = faker.internet.username({ firstName, lastName }).replace(/\d+$/, '').toLowerCase()
  return /\d/.test(name) ? 'member' : name
}
