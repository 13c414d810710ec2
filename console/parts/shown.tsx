// Small things that many pages show.
import type { ComponentChildren } from 'preact'
import type { Job, Problem } from '../api.js'
import { ago, count, moment } from '../words.js'

/** A state of a job, in a word and a colour. */
export const Status = ({ status }: { status: Job['status'] }) => (
  <span class={`status ${status.toLowerCase()}`}>{status}</span>
)

/** How long ago something was, with the whole moment for those who point at it. */
export const Ago = ({ time }: { time: string }) => (
  <time dateTime={time} title={moment(time)}>
    {ago(time)}
  </time>
)

/** Why something failed, and what to do. */
export const ProblemBox = ({ problem, children }: { problem: Problem; children?: ComponentChildren }) => (
  <section class="problem" role="alert">
    <h2>{problem.title}</h2>
    {problem.detail && <p>{problem.detail}</p>}
    {problem.type && (
      <p>
        <a href={problem.type} target="_blank" rel="noreferrer">
          What it means, and what to do
        </a>
      </p>
    )}
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

/** What is said of a reading that has failed, or has not answered yet. */
export const Pending = ({ data, problem }: { data: unknown; problem: Problem | undefined }) => {
  if (problem) return <ProblemBox problem={problem} />
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
