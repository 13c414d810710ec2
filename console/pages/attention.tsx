// What waits for a human, the newest first, each with its reason, its next step and the way to it.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { type Attention, api, type Problem, problemOf } from '../api.js'
import { at, withQuery } from '../parts/links.js'
import { List } from '../parts/list.js'
import { Ago, Nothing, Pending, ProblemBox } from '../parts/shown.js'
import { Title } from '../parts/title.js'
import { useMay } from '../permissions.js'
import { useLive } from '../reading.js'
import { isOfPlatform } from '../session.js'
import { attentionKinds, attentionName, clock } from '../words.js'

const pageSize = 100

export function AttentionPage() {
  const { query } = useLocation()
  const { After: after } = query
  const kind = attentionKinds.find(each => each === query.Kind)
  const { data, problem } = useLive(
    via => {
      const params = { query: { First: pageSize, ...(kind && { Kind: [kind] }), ...(after && { After: after }) } }
      return isOfPlatform
        ? api.GET('/admin/v1/attention', { params, ...via })
        : api.GET('/api/v1/attention', { params, ...via })
    },
    [kind, after],
  )
  return (
    <>
      <Title name="Attention" />
      {(kind || (data && data.PageInfo.TotalCount > 1)) && (
        <nav class="filters" aria-label="Kind">
          {[undefined, ...attentionKinds].map(each => (
            <a
              key={each}
              class="choice"
              href={withQuery('', { Kind: each })}
              aria-current={kind === each ? 'true' : undefined}
            >
              {each === undefined ? 'All' : attentionName(each)}
            </a>
          ))}
        </nav>
      )}
      <Pending data={data} problem={problem} />
      {data && data.Edges.length === 0 && (
        <Nothing>
          Nothing waits for you.{' '}
          <small>As soon as a job fails or rows are refused, this page says so. It follows what happens.</small>
        </Nothing>
      )}
      {data && data.Edges.length > 0 && (
        <List
          page={data.PageInfo}
          counted={['One thing waits', 'things wait']}
          columns={['What', 'Why, and the next step', 'Since']}
          ways={['Newest', 'Older']}
          addressOf={cursor => withQuery('', { Kind: kind, After: cursor })}
          isFirst={after === undefined}
        >
          {data.Edges.map(({ Node: row }) => (
            <tr key={`${row.tenant}/${row.kind}/${row.subject}`}>
              <td data-name="What">
                <span class="status failed">{attentionName(row.kind)}</span>
                {isOfPlatform && <small>{row.tenant}</small>}
              </td>
              <td data-name="Why">
                <Why row={row} />
                <small>{row.nextStep}</small>
                {!isOfPlatform && <NextStep row={row} />}
              </td>
              <td data-name="Since">
                <Ago time={row.since} />
              </td>
            </tr>
          ))}
        </List>
      )}
    </>
  )
}

/** Steps that are done here and now, by what they are about, with the permission that each takes. Others need more than a button. */
const steps: Partial<
  Record<string, { name: string; permission: string; call(subject: string): Promise<{ error?: unknown }> }>
> = {
  webhook: {
    name: 'Send again',
    permission: 'Edit:Webhook',
    call: webhookKey =>
      api.POST('/api/v1/webhooks/{webhookKey}/replay', { params: { path: { webhookKey } }, body: {} }),
  },
  'data-set': {
    name: 'Refresh now',
    permission: 'Edit:DataSet',
    call: dataExtractKey =>
      api.POST('/api/v1/dataSet/{dataExtractKey}/refresh', {
        params: { path: { dataExtractKey }, header: { Prefer: 'respond-async' } },
      }),
  },
}

/** A button for the next step, if the page can do it. The row goes when its cause is gone; until then the step can be taken again. */
function NextStep({ row: { kind, subject } }: { row: Attention }) {
  const [begunAt, setBegunAt] = useState<Date>()
  const [isBusy, setBusy] = useState(false)
  const [refusal, setRefusal] = useState<Problem>()
  const may = useMay()
  const step = steps[kind]
  if (!step || !may(step.permission)) return null
  const take = async () => {
    setBusy(true)
    setBegunAt(undefined)
    const { error } = await step.call(subject).catch(error => ({ error }))
    setRefusal(error === undefined ? undefined : problemOf(error))
    setBegunAt(error === undefined ? new Date() : undefined)
    setBusy(false)
  }
  return (
    <div class="step">
      <button type="button" class="second" disabled={isBusy} onClick={take}>
        {step.name}
      </button>
      <span role="status">{begunAt && `Begun at ${clock(begunAt)}.`}</span>
      {refusal && <ProblemBox problem={refusal} />}
    </div>
  )
}

/** Why a row is there, as the way to what it is about if the console has a page of that. */
function Why({ row }: { row: Attention }) {
  const page = pageOf(row)
  return page ? <a href={page}>{row.why}</a> : <span>{row.why}</span>
}

function pageOf({ tenant, kind, subject, action }: Attention): string | undefined {
  // What is in a job or a data set is for its tenant to see.
  const ofTenant = isOfPlatform ? tenant : undefined
  // Some wait to begin, and some to go on.
  if (kind === 'waiting-job') return withQuery('jobs', { Tenant: ofTenant, Kind: subject })
  if (isOfPlatform) return kind === 'failed-job' ? withQuery('jobs', { Tenant: tenant, Status: 'Failed' }) : undefined
  if (kind === 'data-set') return at(`data-sets/${encodeURIComponent(subject)}`)
  const [, job] = /\/jobs\/([0-9a-f-]{36})/.exec(action?.path ?? '') ?? []
  return job && at(`jobs/${job}`)
}
