// Compares the rows of pages with the total that the provider declares.
import { Problem } from '../../../runtime/problems/problem.js'

interface Totals {
  /** The total that the page before has declared; undefined for the first page, or if none is declared. */
  first: number | undefined
  /** The total that this page declares. */
  now: number | undefined
  /** How many rows all pages have had until now, this one included. */
  fetched: number
  isLast: boolean
}

/**
 * Returns the problem of pages that do not belong together, because rows were added or removed while they were fetched, or
 * because one of them was cut. Without a declared total that cannot be noticed.
 */
export function driftOf({ first, now, fetched, isLast }: Totals): Problem | undefined {
  if (now === undefined) return undefined
  if (first !== undefined && first !== now) return drifted(`said first that there are ${first} rows, and then ${now}`)
  return isLast && fetched !== now
    ? drifted(`says that there are ${now} rows, and its pages have ${fetched}`)
    : undefined
}

const drifted = (what: string): Problem =>
  new Problem(
    'pages-drifted',
    `The provider ${what}. Rows were added or removed while the pages were fetched, or a page was cut. What was known before ` +
      'stays readable. Refresh again; if this happens often, have the provider page by a cursor.',
  )
