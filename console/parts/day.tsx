// The jobs of the last 24 hours: how many there were, what became of them, and a bar for each hour.
import { api, type Job } from '../api.js'
import { useLive } from '../reading.js'
import { isOfPlatform } from '../session.js'
import { clock, count } from '../words.js'
import { withQuery } from './links.js'

const hourMs = 3_600_000
const hours = 24
/** The height of a bar, in units of its drawing. */
const height = 100

/** From the bottom of a bar to its top. */
const statuses = ['Completed', 'Running', 'Accepted', 'Cancelled', 'Failed'] as const satisfies Job['status'][]

type Counts = Partial<Record<string, number>>
const sumOf = (counts: Counts): number => Object.values(counts).reduce<number>((sum, n) => sum + (n ?? 0), 0)

export function Day({ tenant }: { tenant: string | undefined }) {
  const { data } = useLive(
    via =>
      isOfPlatform
        ? api.GET('/admin/v1/jobCounts', { params: { query: tenant ? { Tenant: tenant } : {} }, ...via })
        : api.GET('/api/v1/jobCounts', { ...via }),
    [tenant],
  )
  if (!data) return null
  const first = Date.parse(data.from)
  const bars = Array.from({ length: hours }, (_, n) => ({ from: new Date(first + n * hourMs), counts: {} as Counts }))
  const day: Counts = {}
  for (const { hour, status, jobs } of data.hours) {
    const bar = bars[Math.round((Date.parse(hour) - first) / hourMs)]
    if (bar) bar.counts[status] = jobs
    day[status] = (day[status] ?? 0) + jobs
  }
  const most = Math.max(1, ...bars.map(({ counts }) => sumOf(counts)))
  const since = bars[0]?.from.toISOString()
  return (
    <figure class="day">
      <figcaption>
        Last 24 hours:{' '}
        {sumOf(day) === 0
          ? 'no jobs'
          : statuses
              .filter(status => day[status])
              .map(status => (
                <a key={status} href={withQuery('jobs', { Tenant: tenant, Status: status, From: since })}>
                  <i class={status.toLowerCase()} /> {count(day[status] ?? 0)} {status.toLowerCase()}
                </a>
              ))}
      </figcaption>
      <ol class="bars">
        {bars.map(({ from, counts }) => (
          <li key={from.getTime()}>
            <Bar from={from} counts={counts} most={most} tenant={tenant} />
          </li>
        ))}
      </ol>
      <p class="hours" aria-hidden="true">
        {[0, 6, 12, 18].map(n => (
          <span key={n}>{bars[n] && clock(bars[n].from)}</span>
        ))}
        <span>now</span>
      </p>
    </figure>
  )
}

interface BarProps {
  from: Date
  counts: Counts
  /** The jobs of the hour that has most. */
  most: number
  tenant: string | undefined
}

/** An hour. It leads to its jobs, and says to who points at it or hears the page how many there are. */
function Bar({ from, counts, most, tenant }: BarProps) {
  if (sumOf(counts) === 0) return null
  const to = new Date(from.getTime() + hourMs)
  const said = statuses.flatMap(status => (counts[status] ? [`${count(counts[status])} ${status.toLowerCase()}`] : []))
  const label = `${clock(from)} to ${clock(to)}: ${said.join(', ')}`
  let top = height
  return (
    <a
      href={withQuery('jobs', { Tenant: tenant, From: from.toISOString(), To: to.toISOString() })}
      // Hours in which something has failed can be reached by the keyboard, the others by the filter.
      tabIndex={counts.Failed ? 0 : -1}
      title={label}
    >
      <span class="unseen">{label}</span>
      <svg viewBox={`0 0 1 ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {statuses.map(status => {
          const n = counts[status] ?? 0
          // What has failed is seen however little it is.
          const tall = n === 0 ? 0 : Math.max((n / most) * height, status === 'Failed' ? 6 : 2)
          top = Math.max(0, top - tall)
          return <rect key={status} class={status.toLowerCase()} y={top} width={1} height={tall} />
        })}
      </svg>
    </a>
  )
}
