// Assigns the people of the demo to communes and departments.
import { mulberry32 } from '../shuffle.js'
import type { Place } from './french-places.js'

/** Two neighbouring departments in the Alps. The people live in the first and are transferred to the second. */
export const source = { key: 'dep-73', name: 'Savoie' }
export const destination = { key: 'dep-74', name: 'Haute-Savoie' }

/**
 * Chooses the places of `size` people, the same in every run. Most are assigned to their commune in Savoie and to the
 * department, some to the commune only. A few, of no fixed address, are assigned to both departments.
 */
export function assignments(places: readonly Place[], size: number, seed: number): string[][] {
  const next = mulberry32(seed)
  const communes = communesOf(places, source.key)
  return Array.from({ length: size }, () => {
    const home = weighted(communes, next())
    const share = next()
    if (share < 0.05) return [source.key, destination.key]
    return share < 0.4 ? [home] : [home, source.key]
  })
}

interface Commune {
  key: string
  population: number
}

function communesOf(places: readonly Place[], departmentKey: string): Commune[] {
  const arrondissements = new Set(places.filter(place => place.ParentKey === departmentKey).map(({ Key }) => Key))
  return places
    .filter(place => place.StructureTypeKey === 'commune' && arrondissements.has(place.ParentKey ?? ''))
    .map(place => ({ key: place.Key, population: populationOf(place) }))
}

function populationOf({ CustomFieldValues }: Place): number {
  const value = CustomFieldValues.find(({ Key }) => Key === 'population')?.Value
  return value && 'Integer' in value ? value.Integer.Value : 0
}

/** Chooses a commune by a random number from 0 to below 1, in proportion to the population. */
function weighted(communes: readonly Commune[], random: number): string {
  let left = random * communes.reduce((sum, { population }) => sum + population, 0)
  const home = communes.find(({ population }) => {
    left -= population
    return left < 0
  })
  if (!home) throw new Error(`There is no commune with people under ${source.key}`)
  return home.key
}
