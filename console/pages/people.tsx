// The people of the tenant, by place and by words. The place stands in the address, the words do not: they may be a name.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { api, type Schemas } from '../api.js'
import { at, withQuery } from '../parts/links.js'
import { List } from '../parts/list.js'
import { Ago, Nothing, Pending } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { Tree } from '../parts/tree.js'
import { useReading } from '../reading.js'
import { textOfValue } from '../words.js'

const pageSize = 50
/** How many fields are columns of the list. */
const mostFields = 4

/** The words that were searched last, so that they are still there when somebody comes back from a person. */
let lastWords = ''

export function PeoplePage() {
  const { query, route } = useLocation()
  const { Place: place, OrderBy: orderBy, Direction: direction, After: after } = query
  const [words, setWords] = useState(lastWords)
  const reading = useReading(
    via =>
      api.POST('/api/v2/subject/query', {
        body: {
          First: pageSize,
          Include: ['StructuralEntities'],
          ...(place && { StructuralEntityKeys: [place], IncludeDescendants: true }),
          // What a search finds has an order of its own, the best first.
          ...(words ? { SearchTerm: words } : orderBy && { OrderBy: orderBy, OrderDirection: directionOf(direction) }),
          ...(after && { After: after }),
        },
        ...via,
      }),
    [place, words, orderBy, direction, after],
  )
  const fields = useReading(via => api.GET('/api/v2/subjectField', { ...via }), []).data
  const columns = (fields ?? []).slice(0, mostFields)
  const page = reading.data
  const addressOf = (changed: Record<string, string | undefined>) =>
    withQuery('people', { Place: place, OrderBy: orderBy, Direction: direction, ...changed })
  const byField = (name: string, key: string) => {
    if (words) return name
    const isDescending = directionOf(direction) === 'Descending'
    const order = orderBy !== key ? undefined : isDescending ? ('descending' as const) : ('ascending' as const)
    const next = order === 'ascending' ? 'Descending' : undefined
    return { name, order, href: addressOf({ OrderBy: key, Direction: next }) }
  }
  return (
    <>
      <Title name="People" />
      <form
        class="search"
        onSubmit={event => {
          event.preventDefault()
          lastWords = String(new FormData(event.currentTarget).get('words')).trim()
          setWords(lastWords)
          // The page in the address is one of what was found before.
          if (after) route(addressOf({}), true)
        }}
      >
        <label>
          Words of a name, a number or any other value
          <input name="words" type="search" defaultValue={words} />
        </label>
        <button type="submit">Search</button>
      </form>
      <div class="beside">
        <nav aria-label="Places">
          <a class="all" href={at('people')} aria-current={place ? undefined : 'true'}>
            All places
          </a>
          <Tree current={place} />
        </nav>
        <section aria-label="People">
          <Pending data={page} problem={reading.problem} />
          {page && page.Edges.length === 0 && <Nothing>Nobody is like that.</Nothing>}
          {page && page.Edges.length > 0 && (
            <List
              page={page.PageInfo}
              counted={['One person', place ? 'people here and below' : 'people']}
              columns={[
                ...columns.map(({ Key, Name, IsArray }) => (IsArray ? Name : byField(Name, Key))),
                'Places',
                byField('Changed', 'UpdatedAt'),
              ]}
              ways={['First', 'Next']}
              addressOf={cursor => addressOf({ After: cursor })}
              isFirst={after === undefined}
            >
              {page.Edges.map(({ Node: person }) => (
                <tr key={person.Id}>
                  {columns.map(({ Key, Name }, n) => (
                    <td key={Key} data-name={Name}>
                      {n === 0 ? (
                        <a href={at(`people/${person.Id}`)}>{textOf(person, Key) || 'Person'}</a>
                      ) : (
                        textOf(person, Key)
                      )}
                    </td>
                  ))}
                  <td data-name="Places">
                    {person.StructuralEntities?.map(({ DisplayName }) => DisplayName).join(', ')}
                  </td>
                  <td data-name="Changed">
                    <Ago time={person.UpdatedAt} />
                  </td>
                </tr>
              ))}
            </List>
          )}
        </section>
      </div>
    </>
  )
}

const directionOf = (direction: string | undefined) =>
  direction === 'Descending' ? ('Descending' as const) : ('Ascending' as const)

/** Writes what a person has in a field. */
function textOf(person: Pick<Schemas['ListedSubject'], 'CustomFieldValues'>, key: string): string {
  return textOfValue(person.CustomFieldValues.find(({ Field }) => Field.Key === key)?.Value ?? [])
}
