// Demo: upserts of people.
import { Type } from 'typebox'
import { assignments, destination, source } from './assignments.js'
import { type Client, patiently } from './client.js'
import type { Place } from './french-places.js'
import { completed } from './jobs.js'
import { mostPeople } from './national-ids.js'
import { type Person, people } from './people.js'
import { count, pace, progress } from './progress.js'
import { countSubjects } from './subject-list.js'

/** The most that a request may hold. */
const perRequest = 20
const inFlight = 4
const seed = 1789

/** A subject as `POST api/v2/subject/bulk` takes it. */
export interface SubjectWrite {
  CustomFieldValues: { Key: string; Value: InputValue | InputValue[] }[]
  StructuralEntityKeys: string[]
}

/** One property, named for the data type. */
type InputValue = Record<string, { Value: string | number | boolean }>

/** Creates the people, or updates those that an earlier run created: the national id says who is who. */
export async function sendSubjects(client: Client, places: readonly Place[]): Promise<void> {
  const Users = Type.Array(Type.Object({ id: Type.String() }))
  const keyWorkers = (await client.get('api/v1/users', Users)).map(({ id }) => id)
  const persons = people(mostPeople, seed, keyWorkers)
  const keys = assignments(places, persons.length, seed)
  const subjects = persons.map((person, n) => subjectOf(person, keys[n] ?? []))
  const requests = Math.ceil(subjects.length / perRequest)
  console.log(
    `${count(subjects.length)} invented people of ${source.name}, in ${count(requests)} requests of ${perRequest}, ${inFlight} at a time`,
  )
  console.log(`Such as ${examples(persons)}`)

  const before = await countSubjects(client)
  const start = performance.now()
  await sendAll(client, subjects)
  const { seconds, perSecond } = pace(subjects.length, start)
  const created = (await countSubjects(client)) - before

  console.log(`\n${count(subjects.length)} people in ${seconds}, ${perSecond} a second`)
  console.log(`Outcome   ${count(created)} created, ${count(subjects.length - created)} updated`)
  if (created < subjects.length) {
    console.log(
      '          Known by their national ids; they are assigned to their first places again, as before the transfer.',
    )
  }
  const to = (prefix: string) => count(keys.filter(each => each.some(key => key.startsWith(prefix))).length)
  console.log(
    `Assigned  ${to('com-')} to the commune where they live, ${to(source.key)} to the department ${source.name},`,
  )
  console.log(`          ${to(destination.key)} of these to ${destination.name} too`)
}

/** Sends all in requests of {@link perRequest}. A request that gets no answer is sent again: an upsert may come twice. */
async function sendAll(client: Client, subjects: readonly SubjectWrite[]): Promise<void> {
  const bar = progress()
  const waiting = Array.from({ length: Math.ceil(subjects.length / perRequest) }, (_, n) =>
    subjects.slice(n * perRequest, (n + 1) * perRequest),
  )
  let done = 0
  const lane = async () => {
    for (let batch = waiting.shift(); batch; batch = waiting.shift()) {
      const sent = batch
      const answer = await patiently(
        () => client.post('api/v2/subject/bulk', sent),
        () => bar.say('waiting for the API'),
      )
      // Usually they are written when the answer comes; otherwise their job goes on.
      if (answer.status === 202) await completed(client, answer)
      done += sent.length
      bar.update(done, subjects.length, done < subjects.length ? 'Sending' : 'Completed')
    }
  }
  try {
    bar.update(0, subjects.length, 'Sending')
    await Promise.all(Array.from({ length: inFlight }, lane))
  } finally {
    // After a failure the other lanes end with what they are sending.
    waiting.length = 0
    bar.stop()
  }
}

/** A person in the API's form. Unknown values are left out. */
export function subjectOf(person: Person, StructuralEntityKeys: string[]): SubjectWrite {
  const text = (value: string) => ({ String: { Value: value } })
  const { email, phone, keyWorker } = person
  return {
    CustomFieldValues: [
      { Key: 'nationalId', Value: text(person.nationalId) },
      { Key: 'givenName', Value: text(person.givenName) },
      { Key: 'familyName', Value: text(person.familyName) },
      { Key: 'dateOfBirth', Value: { Date: { Value: person.dateOfBirth } } },
      ...(email === undefined ? [] : [{ Key: 'email', Value: text(email) }]),
      ...(phone === undefined ? [] : [{ Key: 'phone', Value: text(phone) }]),
      { Key: 'languages', Value: person.languages.map(text) },
      ...(keyWorker === undefined ? [] : [{ Key: 'keyWorker', Value: { UserIdentifier: { Value: keyWorker } } }]),
      { Key: 'consent', Value: { Boolean: { Value: person.consent } } },
      { Key: 'weight', Value: { Decimal: { Value: person.weight } } },
    ],
    StructuralEntityKeys,
  }
}

/** The first person of each of some mother tongues. */
function examples(persons: readonly Person[]): string {
  return ['fr', 'pl', 'el', 'uk', 'ar', 'zh']
    .flatMap(tongue => persons.find(({ languages }) => languages[0] === tongue) ?? [])
    .map(({ givenName, familyName }) => `${givenName} ${familyName}`)
    .join(', ')
}
