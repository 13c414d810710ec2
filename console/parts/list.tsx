// Tables, and lists that the API answers page by page: how long one is, its table, and the ways to other pages.
import type { ComponentChildren } from 'preact'
import { count } from '../words.js'

/** A column by which a list can be ordered. */
export interface Column {
  name: string
  /** The address of the list in this order; in the other direction if it has this order already. */
  href: string
  order: 'ascending' | 'descending' | undefined
}

interface Props {
  page: { TotalCount: number; HasNextPage: boolean; EndCursor: string }
  /** What is counted: one, and several. */
  counted: readonly [one: string, several: string]
  columns: readonly (string | Column)[]
  /** The names of the ways to the first page and to the next one. */
  ways: readonly [first: string, next: string]
  /** Returns the address of the page behind a cursor, or of the first one. */
  addressOf(after?: string): string
  isFirst: boolean
  /** The rows. */
  children: ComponentChildren
}

export function List({ page, counted: [one, several], columns, ways, addressOf, isFirst, children }: Props) {
  return (
    <>
      <p class="count">{page.TotalCount === 1 ? one : `${count(page.TotalCount)} ${several}`}</p>
      <Table columns={columns}>{children}</Table>
      <nav class="pages" aria-label="Pages of the list">
        {!isFirst && <a href={addressOf()}>{ways[0]}</a>}
        {page.HasNextPage && <a href={addressOf(page.EndCursor)}>{ways[1]}</a>}
      </nav>
    </>
  )
}

/** A table with these headings. On a phone each cell is a line of its own, headed by its `data-name`. */
export const Table = ({ columns, children }: Pick<Props, 'columns' | 'children'>) => (
  <table class="list">
    <thead>
      <tr>
        {columns.map(column =>
          typeof column === 'string' ? (
            <th key={column} scope="col">
              {column}
            </th>
          ) : (
            <th key={column.name} scope="col" aria-sort={column.order}>
              <a class="order" href={column.href}>
                {column.name}
              </a>
            </th>
          ),
        )}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)
