// Serves the read-only page of an instance's version, and holds helpers of all instance pages.
import type Router from '@koa/router'
import type { Context } from 'koa'
import { type FilledInstance, instanceReader, type VersionRow } from '../../../db/forms/instances/instance-versions.js'
import { etagOf, type InstanceRow, type InstanceStores, isAmendable } from '../../../db/forms/instances/instances.js'
import { identityOf, type SubjectIdentity } from '../../../db/frame/subjects/subject-names.js'
import { notFound } from '../../../runtime/problems/problem.js'
import type { Caller } from '../../caller.js'
import { validateParams } from '../../middleware/validate.js'
import { serve } from '../../operation.js'
import { versionFacts } from '../instances/instance-facts.js'
import { viewLinkOf } from '../instances/shapes.js'
import { renderPage } from './large-pages.js'
import type { Button, FormPage, Link } from './page.js'
import { pages } from './page-declarations.js'
import { showNotice, showPage, wantsPage } from './page-problems.js'
import { type SignInDependencies, signedIn } from './sign-in.js'

export type InstancePagesDependencies = InstanceStores & SignInDependencies

/**
 * Registers the page that shows a version of an instance for reading and printing (spec forms "Instance history",
 * `viewLink`).
 */
export function versionPage(router: Router, { publicUrl: _, ...dependencies }: InstancePagesDependencies): void {
  const admit = signedIn(dependencies, ['ListPatientForms'])
  const readPath = validateParams(pages.showVersion.params)

  serve(router, pages.showVersion, admit, readPath, async ctx => {
    const { instanceGuid = '', versionGuid = '' } = ctx.params
    const caller: Caller = ctx.state.caller
    const reader = instanceReader(dependencies, caller.tenantId)
    const found = await reader.version({ id: instanceGuid }, versionGuid)
    const { row, template, context, values, version } = found
    const person = await personOf(dependencies, caller, row)
    if (row.is_withdrawn === 1 && ctx.query.includeWithdrawn !== 'true') return withdrawnNotice(ctx, row, person)
    const notice = noticeOf(ctx, found)
    const page = await renderPage(caller.tenantId, {
      template,
      given: values,
      context,
      faults: [],
      mode: 'read',
      action: ctx.state.basePath + editLinkOf(caller.tenantKey, row.id),
      basePath: ctx.state.basePath,
      hidden: {},
      etag: etagOf(row),
      buttons: isCurrent(found) && isAmendable(row) && caller.allows('Create') ? [amend] : [],
      person,
      facts: await versionFacts(dependencies, caller, row, version),
      ...(notice ? { notice } : {}),
      links: linksOf(caller, found).map(({ href, label }) => ({ href: ctx.state.basePath + href, label })),
    })
    showPage(ctx, 200, page)
  })
}

/**
 * Reads the person that an instance is about. Every page of the instance shows the person, whatever else the caller may see, so
 * that a form is never mistaken for somebody else's.
 */
export const personOf = ({ db }: InstanceStores, { tenantId }: Caller, { subject_id }: InstanceRow) =>
  identityOf(db, tenantId, subject_id)

const amend: Button = { action: 'amend', label: 'Amend', kind: 'secondary' }

/** Returns the path of the page on which an instance is filled in, below the public address. */
export const editLinkOf = (tenantKey: string, instanceId: string): string =>
  `/forms/${encodeURIComponent(tenantKey)}/instances/${instanceId}`

/** True for an instance that can be filled in. */
export const isOpen = ({ status, is_withdrawn }: InstanceRow): boolean => status !== 'Complete' && is_withdrawn === 0

type FoundVersion = FilledInstance & { version: VersionRow }

const isCurrent = ({ row, version }: FoundVersion): boolean =>
  version.id === row.current_version && row.is_deleted === 0

/** Returns links to the current version, or to the page where the form can be filled in. */
function linksOf({ tenantKey, allows }: Caller, found: FoundVersion): Link[] {
  const { row } = found
  if (row.is_deleted === 1) return []
  if (!isCurrent(found)) {
    const query = row.is_withdrawn === 1 ? '?includeWithdrawn=true' : ''
    return [{ href: viewLinkOf(tenantKey, row.id, row.current_version) + query, label: 'Show the current version' }]
  }
  return isOpen(row) && allows('Create') ? [{ href: editLinkOf(tenantKey, row.id), label: 'Fill it in' }] : []
}

/** Shows that an instance is withdrawn, with a link to see it nevertheless. @throws Problem 404 for programs. */
function withdrawnNotice(ctx: Context, { id, title }: InstanceRow, person: SubjectIdentity): void {
  if (!wantsPage(ctx)) throw notFound(`The form instance '${id}' is withdrawn. Use includeWithdrawn=true to read it.`)
  showNotice(ctx, 404, {
    title: 'This form was withdrawn',
    text: `${title}\nIt no longer counts. It is kept with its history.`,
    person,
    links: [{ href: `${ctx.state.basePath}${ctx.path}?includeWithdrawn=true`, label: 'Show it nevertheless' }],
  })
}

/** Notices about the last action, by the `done` parameter that a redirect adds. */
const doneNotices = new Map<unknown, FormPage['notice']>([
  ['complete', { kind: 'success', title: 'The form is complete' }],
  [
    'discard',
    { kind: 'success', title: 'The amendment was discarded', text: 'What was complete before counts again.' },
  ],
])

function noticeOf(ctx: Context, found: FoundVersion): FormPage['notice'] {
  const { row, version } = found
  if (row.is_withdrawn === 1) return { kind: 'error', title: 'Withdrawn', text: 'This form no longer counts.' }
  if (version.deleted_at !== null)
    return { kind: 'error', title: 'Discarded', text: 'This version was given up before it was complete.' }
  if (!isCurrent(found)) return { kind: 'info', title: 'There is a later version of this form' }
  if (version.status !== 'Complete') return { kind: 'info', title: 'Not complete yet' }
  return doneNotices.get(ctx.query.done)
}
