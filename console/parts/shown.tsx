// Small things that many pages show.
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Job, Problem } from '../api.js'
import { useReading } from '../reading.js'
import { ago, count, moment, stepOf } from '../words.js'
import { Title } from './title.js'

/** A state of a job, in a word and a colour. */
export const Status = ({ status }: { status: Job['status'] }) => (
  <span class={`status ${status.toLowerCase()}`}>{status}</span>
)

/** How long ago something was, or in how long it is, with the whole moment for those who point at it. It goes with the time. */
export function Ago({ time }: { time: string }) {
  const [, show] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => show(n => n + 1), stepOf(time))
    return () => clearInterval(timer)
  })
  return (
    <time dateTime={time} title={moment(time)}>
      {ago(time)}
    </time>
  )
}

/** Why something failed, and what to do. */
export const ProblemBox = ({ problem, children }: { problem: Problem; children?: ComponentChildren }) => (
  <section class="problem" role="alert">
    <h2>{problem.title}</h2>
    {problem.detail && <p>{problem.detail}</p>}
    {problem.type && <NextStep type={problem.type} />}
    {problem.errors && problem.errors.length > 0 && (
      <ul>
        {problem.errors.slice(0, 20).map(({ pointer, detail }) => (
          <li key={pointer}>
            <code>{pointer}</code> {detail}
          </li>
        ))}
        {problem.errors.length > 20 && <li>and {count(problem.errors.length - 20)} more</li>}
      </ul>
    )}
    {children}
  </section>
)

/** What to do about a problem, which the page that explains its code says to programs too. */
function NextStep({ type }: { type: string }) {
  const { data } = useReading<{ problem?: { next: string } }>(
    async ({ fetch }) => {
      const answer = await fetch(new Request(type, { headers: { accept: 'application/json' } }))
      return { data: answer.ok ? await answer.json() : {} }
    },
    [type],
  )
  return (
    <p>
      {/* What stands between backticks is a name of the API. */}
      {data?.problem?.next.split('`').map((text, n) => (n % 2 ? <code key={text}>{text}</code> : text))}{' '}
      <a href={type} target="_blank" rel="noreferrer">
        What the problem means
      </a>
    </p>
  )
}

interface PendingProps {
  data: unknown
  problem: Problem | undefined
  /** The heading, if the page has none without what is read. */
  title?: string
}

/** What is said of a reading that has failed, or has not answered yet. */
export function Pending({ data, problem, title }: PendingProps) {
  if (problem)
    return (
      <>
        {title && <Title name={title} />}
        {problem.status === 403 ? (
          <Nothing>Your roles do not let you see this. {problem.detail}</Nothing>
        ) : (
          <ProblemBox problem={problem} />
        )}
      </>
    )
  return data === undefined ? (
    <p class="loading" role="status">
      Loading…
    </p>
  ) : null
}

/** How far a job is. */
export function Progress({ done, total }: Job['progress']) {
  if (total === 0) return null
  return (
    <span class="progress">
      <progress value={done} max={total} aria-label={`${done} of ${total}`} />
      <span>
        {count(done)} of {count(total)}
      </span>
    </span>
  )
}

/** What is said where there is nothing to list. */
export const Nothing = ({ children }: { children: ComponentChildren }) => <p class="nothing">{children}</p>

/** A list of facts. Those that are empty are left out. */
export const Facts = ({ facts }: { facts: readonly (readonly [name: string, value: ComponentChildren])[] }) => (
  <dl class="facts">
    {facts
      .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== false)
      .map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
)
