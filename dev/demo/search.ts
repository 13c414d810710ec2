// Demo: searches for subjects with typos.
import type { Client } from '../../client/index.js'
import { destination } from './assignments.js'
import { count } from './progress.js'
import { listSubjects } from './subject-list.js'

const shown = 5

interface Search {
  /** The mistake in the term, or what else it shows. */
  about: string
  term: string
  placeKey?: string
}

const searches: Search[] = [
  { about: 'a letter wrong, and no accents', term: 'irma szimanski' },
  { about: 'two letters swapped', term: 'helene prevots' },
  { about: 'a letter missing', term: 'Παπαδπουλος' },
  { about: 'what is written so comes before what nearly is', term: 'zofia' },
  { about: `the beginning of a name, in ${destination.name} only`, term: 'szym', placeKey: destination.key },
]

/** Searches for terms as people type them, and prints the best matches. */
export async function searchSubjects(client: Client): Promise<void> {
  console.log('As people type: without accents, with typos, the beginning of a word. The best hits come first.')
  for (const { about, term, placeKey } of searches) {
    const place = placeKey === undefined ? {} : { StructuralEntityKeys: [placeKey] }
    const query = { SearchTerm: term, First: shown, ...place }
    const start = performance.now()
    const { total, subjects } = await listSubjects(client, query)
    const took = Math.round(performance.now() - start)
    console.log(`\n“${term}”, ${about}: ${count(total)} found in ${took} ms`)
    for (const { givenName, familyName, dateOfBirth, nationalId } of subjects) {
      console.log(`  ${nationalId}  ${dateOfBirth}  ${givenName} ${familyName}`)
    }
    const address = new URLSearchParams({ SearchTerm: term, First: String(shown) })
    if (placeKey !== undefined) address.set('StructuralEntityKeys', placeKey)
    console.log(`  GET ${client.url(`api/v2/subject?${address}`)}`)
  }
}
