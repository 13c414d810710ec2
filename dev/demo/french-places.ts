// Turns the administrative divisions of France into structural entities.
import { createRequire } from 'node:module'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'

/** A structure type in the body of `PUT api/v1/structureType/bulk`. */
export interface StructureType {
  Key: string
  Name: string
  SubjectAssignable: boolean
  CustomFields: { Key: string; Name: string; TypeKey: 'Number' | 'Text'; Required: boolean }[]
}

/** A place in the body of `PUT api/v1/structuralEntity/bulk`. The root has no `ParentKey`. */
export interface Place {
  Key: string
  DisplayName: string
  ParentKey?: string
  StructureTypeKey: string
  CustomFieldValues: FieldValue[]
}

type FieldValue = { Key: string; Value: { Integer: { Value: number } } | { String: { Value: string } } }

const population = { Key: 'population', Name: 'Population', TypeKey: 'Number', Required: false } as const
// A custom field of a structure type has one value, but a commune has up to 21 postcodes (Paris), so they are joined.
const postcodes = { Key: 'postcodes', Name: 'Codes postaux', TypeKey: 'Text', Required: false } as const
const siren = { Key: 'siren', Name: 'SIREN', TypeKey: 'Text', Required: false } as const

const structureType = (
  Key: string,
  Name: string,
  SubjectAssignable: boolean,
  ...CustomFields: StructureType['CustomFields']
) => ({ Key, Name, SubjectAssignable, CustomFields }) satisfies StructureType

/**
 * The eight kinds of place. Subjects can be assigned to communes and the places below them, where they live, and to
 * departments, whose social services look after everybody who lives there.
 */
export const structureTypes: StructureType[] = [
  structureType('country', 'Pays', false),
  structureType('region', 'Région', false),
  structureType('department', 'Département', true),
  structureType('arrondissement', 'Arrondissement', false),
  structureType('commune', 'Commune', true, population, postcodes, siren),
  structureType('delegated-commune', 'Commune déléguée', true),
  structureType('associated-commune', 'Commune associée', true),
  structureType('municipal-arrondissement', 'Arrondissement municipal', true, population, postcodes),
]

/**
 * Returns all places of the package `@etalab/decoupage-administratif`. Each kind has a prefix in its keys, since codes alone
 * are not unique: there is a region 75 and a department 75. The last four prefixes are those of the national statistics
 * office.
 */
export function frenchPlaces(): Place[] {
  return [
    { Key: 'fr', DisplayName: 'France', StructureTypeKey: 'country', CustomFieldValues: [] },
    ...read('regions', Region).map(region => place(`reg-${region.code}`, region.nom, 'fr', 'region')),
    ...read('departements', Department).map(department =>
      place(`dep-${department.code}`, department.nom, `reg-${department.region}`, 'department'),
    ),
    ...read('arrondissements', Arrondissement).map(arrondissement =>
      place(`arr-${arrondissement.code}`, arrondissement.nom, `dep-${arrondissement.departement}`, 'arrondissement'),
    ),
    ...read('communes', Commune).map(communePlace),
  ]
}

/** The places at one depth of the hierarchy, where the root is 1: the names of their types and how many there are. */
export interface Level {
  depth: number
  names: string[]
  count: number
}

/** Counts places by depth. All parents must be among `places`, in any order. */
export function levels(places: Place[]): Level[] {
  const byKey = new Map(places.map(place => [place.Key, place]))
  const typeNames = new Map(structureTypes.map(type => [type.Key, type.Name]))
  const found: Level[] = []
  for (const place of places) {
    let depth = 1
    for (let at = parentOf(place, byKey); at; at = parentOf(at, byKey)) depth += 1
    const level = found[depth - 1] ?? { depth, names: [], count: 0 }
    found[depth - 1] = level
    level.count += 1
    const name = typeNames.get(place.StructureTypeKey) ?? place.StructureTypeKey
    if (!level.names.includes(name)) level.names.push(name)
  }
  return found
}

function parentOf(place: Place, byKey: Map<string, Place>): Place | undefined {
  return place.ParentKey === undefined ? undefined : byKey.get(place.ParentKey)
}

const Code = Type.String({ minLength: 1 })
const Region = Type.Object({ code: Code, nom: Code })
const Department = Type.Object({ code: Code, nom: Code, region: Code })
const Arrondissement = Type.Object({ code: Code, nom: Code, departement: Code })

const common = {
  code: Code,
  nom: Code,
  population: Type.Optional(Type.Integer()),
  codesPostaux: Type.Optional(Type.Array(Code)),
}
const Commune = Type.Union([
  Type.Object({
    ...common,
    type: Type.Literal('commune-actuelle'),
    departement: Code,
    // Absent in the overseas collectivities, '' in Mayotte: neither is divided into arrondissements.
    arrondissement: Type.Optional(Type.String()),
    siren: Type.Optional(Code),
  }),
  Type.Object({ ...common, type: Type.Literal('commune-deleguee'), chefLieu: Code }),
  Type.Object({ ...common, type: Type.Literal('commune-associee'), chefLieu: Code }),
  Type.Object({ ...common, type: Type.Literal('arrondissement-municipal'), commune: Code }),
])

const packageFile = createRequire(import.meta.url)

function read<Row extends Type.TSchema>(file: string, row: Row): Type.Static<Row>[] {
  const rows: unknown = packageFile(`@etalab/decoupage-administratif/data/${file}.json`)
  return Compile(Type.Array(row)).Parse(rows)
}

function communePlace(commune: Type.Static<typeof Commune>): Place {
  const { code, nom } = commune
  switch (commune.type) {
    case 'commune-actuelle': {
      const parent = commune.arrondissement ? `arr-${commune.arrondissement}` : `dep-${commune.departement}`
      return place(`com-${code}`, nom, parent, 'commune', fieldValues(commune))
    }
    case 'commune-deleguee':
      return place(`comd-${code}`, nom, `com-${commune.chefLieu}`, 'delegated-commune')
    case 'commune-associee':
      return place(`coma-${code}`, nom, `com-${commune.chefLieu}`, 'associated-commune')
    case 'arrondissement-municipal':
      return place(`arm-${code}`, nom, `com-${commune.commune}`, 'municipal-arrondissement', fieldValues(commune))
  }
}

// Six communes that nobody lives in have population 0; six overseas territories have none recorded.
function fieldValues(of: { population?: number; codesPostaux?: string[]; siren?: string }): FieldValue[] {
  const values: FieldValue[] = []
  if (of.population !== undefined) values.push({ Key: population.Key, Value: { Integer: { Value: of.population } } })
  if (of.codesPostaux) values.push({ Key: postcodes.Key, Value: { String: { Value: of.codesPostaux.join(', ') } } })
  if (of.siren) values.push({ Key: siren.Key, Value: { String: { Value: of.siren } } })
  return values
}

function place(
  Key: string,
  DisplayName: string,
  ParentKey: string,
  StructureTypeKey: string,
  CustomFieldValues: FieldValue[] = [],
): Place {
  return { Key, DisplayName, ParentKey, StructureTypeKey, CustomFieldValues }
}
