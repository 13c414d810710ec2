// The tree of places. The children of a place are read when it is opened, with how many people and places each has.
import { useState } from 'preact/hooks'
import { api } from '../api.js'
import { useReading } from '../reading.js'
import { count } from '../words.js'
import { withQuery } from './links.js'
import { Pending } from './shown.js'

/** How many children are shown at first, and by how many more each time. */
const step = 100

interface Props {
  /** Whose children are shown; undefined for the places at the top. */
  parent?: string | undefined
  /** The place that the page shows. */
  current: string | undefined
}

export function Tree({ parent, current }: Props) {
  const [first, setFirst] = useState(step)
  const { data, problem } = useReading(
    () =>
      api.GET('/api/v1/structuralEntity', {
        params: {
          query: {
            ...(parent === undefined ? { Depth: 1 } : { ParentKey: parent }),
            Include: ['Counts'],
            OrderBy: 'DisplayName',
            First: first,
          },
        },
      }),
    [parent, first],
  )
  if (!data) return <Pending data={data} problem={problem} />
  return (
    <ul class="tree">
      {data.Edges.map(({ Node: place }) => (
        <Branch
          key={place.Key}
          place={{ key: place.Key, name: place.DisplayName, people: place.Counts?.Subjects ?? 0 }}
          children={place.Counts?.Children ?? 0}
          isOnlyRoot={parent === undefined && data.PageInfo.TotalCount === 1}
          current={current}
        />
      ))}
      {data.PageInfo.HasNextPage && (
        <li>
          <button type="button" class="link" onClick={() => setFirst(first + step)}>
            {count(data.PageInfo.TotalCount - data.Edges.length)} more
          </button>
        </li>
      )}
    </ul>
  )
}

interface BranchProps {
  place: { key: string; name: string; people: number }
  /** How many places are directly below it. */
  children: number
  /** Whether every other place is below it. It is opened at first. */
  isOnlyRoot: boolean
  current: string | undefined
}

function Branch({ place: { key, name, people }, children, isOnlyRoot, current }: BranchProps) {
  const [isOpen, setOpen] = useState(isOnlyRoot)
  return (
    <li>
      {children > 0 ? (
        <button
          type="button"
          class="opener"
          aria-expanded={isOpen}
          aria-label={`What is below ${name}`}
          onClick={() => setOpen(!isOpen)}
        />
      ) : (
        <span class="opener" />
      )}
      <a href={withQuery('people', { Place: key })} aria-current={current === key ? 'true' : undefined}>
        {name}
      </a>
      {people > 0 && (
        <span class="number" title="People at this place itself">
          {count(people)}
        </span>
      )}
      {isOpen && <Tree parent={key} current={current} />}
    </li>
  )
}
