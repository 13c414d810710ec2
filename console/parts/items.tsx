// What became of each item of a bulk, page by page.
import { useState } from 'preact/hooks'
import { api, type Job } from '../api.js'
import { useReading } from '../reading.js'
import { Table } from './list.js'
import { Pending } from './shown.js'

const pageSize = 50

/** The items of a job, read once somebody opens them. */
export function Items({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>Its items</summary>
      {isOpen && <Page jobId={job.jobId} done={job.progress.done} />}
    </details>
  )
}

function Page({ jobId, done }: { jobId: string; done: number }) {
  const [after, setAfter] = useState<string>()
  const { data, problem } = useReading(
    via =>
      api.GET('/api/v1/jobs/{jobId}/items', {
        params: { path: { jobId }, query: { First: pageSize, ...(after && { After: after }) } },
        ...via,
      }),
    [jobId, after],
    done,
  )
  if (!data) return <Pending data={data} problem={problem} />
  const { HasNextPage: hasNext, EndCursor: end } = data.PageInfo
  return (
    <>
      <Table columns={['Key', 'Outcome', 'Place in the request']}>
        {data.Edges.map(({ Node: { index, key, outcome } }) => (
          <tr key={index}>
            <td data-name="Key">{key}</td>
            <td data-name="Outcome">{outcome}</td>
            <td data-name="Place in the request">{index + 1}</td>
          </tr>
        ))}
      </Table>
      <div class="actions">
        {after !== undefined && (
          <button type="button" class="second" onClick={() => setAfter(undefined)}>
            First
          </button>
        )}
        {hasNext && (
          <button type="button" class="second" onClick={() => setAfter(end)}>
            Next
          </button>
        )}
      </div>
    </>
  )
}
