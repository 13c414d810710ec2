// The filter of the audit: a form that is folded away, and what it asks for, each with the way to do without it.
import { useLocation } from 'preact-iso'
import { auditKinds, auditName } from '../words.js'

export const outcomes = ['done', 'read', 'refused', 'withdrawn'] as const

/** The texts by which the list is filtered, by their names in the address and in the API. */
const texts = [
  ['Person', 'Person'],
  ['Client', 'Client'],
  ['Action', 'Operation'],
  ['Id', 'Id'],
] as const

interface Props {
  /** What the list is filtered by, by its names in the address. */
  filter: Record<'Person' | 'Client' | 'Action' | 'Id' | 'Kind' | 'Outcome' | 'From' | 'To', string | undefined>
  /** The people to choose from. */
  people: readonly { id: string; name: string }[]
  /** Returns the address of the list with another filter. */
  addressOf(changed: Record<string, string | undefined>): string
}

export function AuditFilter({ filter, people, addressOf }: Props) {
  const { route } = useLocation()
  const { Person: person, Kind: kind, Outcome: outcome, From: from, To: to } = filter
  const chosen = [
    ...texts.map(([name, label]) => [name, label, filter[name]] as const),
    ['Kind', 'About', kind && auditName(kind)],
    ['Outcome', 'Outcome', outcome],
    ['From', 'Since', from],
    ['To', 'Until', to],
  ].filter((each): each is [string, string, string] => Boolean(each[2]))
  const personName = people.find(({ id }) => id === person)?.name
  return (
    <>
      <details class="filter">
        <summary>Filter</summary>
        <form
          class="grid"
          onSubmit={event => {
            event.preventDefault()
            const given = new FormData(event.currentTarget)
            route(addressOf(Object.fromEntries([...given].map(([name, text]) => [name, String(text).trim()]))))
          }}
        >
          {texts.map(([name, label]) => (
            <label key={name}>
              {label}
              <input
                key={filter[name]}
                name={name}
                list={name === 'Person' ? 'people' : undefined}
                placeholder={name === 'Id' ? 'of a person, a job or anything else' : undefined}
                defaultValue={filter[name] ?? ''}
              />
            </label>
          ))}
          <datalist id="people">
            {people.map(({ id, name }) => (
              <option key={id} value={id} label={name} />
            ))}
          </datalist>
          <Choice label="About" name="Kind" all="Everything" choices={auditKinds} chosen={kind} nameOf={auditName} />
          <Choice label="Outcome" name="Outcome" all="All" choices={outcomes} chosen={outcome} />
          <label>
            Since
            <input key={from} name="From" type="date" defaultValue={from?.slice(0, 10) ?? ''} />
          </label>
          <label>
            Until
            <input key={to} name="To" type="date" defaultValue={to?.slice(0, 10) ?? ''} />
          </label>
          <button type="submit">Show</button>
        </form>
      </details>
      {chosen.length > 0 && (
        <nav class="filters" aria-label="What the list is filtered by">
          {chosen.map(([name, label, text]) => (
            <a key={name} class="choice" href={addressOf({ [name]: undefined })}>
              {label}: {name === 'Person' ? (personName ?? text) : text}
              <span aria-hidden="true"> ✕</span>
              <span class="unseen"> Show all</span>
            </a>
          ))}
        </nav>
      )}
    </>
  )
}

interface ChoiceProps {
  label: string
  name: string
  /** What is shown for no choice, which finds everything. */
  all: string
  choices: readonly string[]
  chosen: string | undefined
  nameOf?(choice: string): string
}

const Choice = ({ label, name, all, choices, chosen, nameOf = String }: ChoiceProps) => (
  <label>
    {label}
    <select key={chosen} name={name}>
      <option value="">{all}</option>
      {choices.map(each => (
        <option key={each} value={each} selected={each === chosen}>
          {nameOf(each)}
        </option>
      ))}
    </select>
  </label>
)
