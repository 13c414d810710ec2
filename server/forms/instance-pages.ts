import type Router from '@koa/router'
import type { Context } from 'koa'
import { type FilledInstance, instanceReader, type VersionRow } from '../../db/forms/instance-versions.js'
import { etagOf, type InstanceRow, type InstanceStores, isAmendable } from '../../db/forms/instances.js'
import { displayNameOf } from '../../db/frame/subject-names.js'
import type { Caller } from '../middleware/authenticate.js'
import { guidIn } from './conditional.js'
import { type Button, type FormPage, renderForm } from './page.js'
import { initialGiven } from './page-initial.js'
import { showNotice, showPage } from './page-problems.js'
import { viewLinkOf } from './shapes.js'
import { type SignInDependencies, signedIn } from './sign-in.js'

export type InstancePagesDependencies = InstanceStores & SignInDependencies

export const instancePath = '/forms/:tenantKey/instances/:instanceGuid'

/** The page that shows a version of an instance, to be read and printed (spec forms "Instance history", `viewLink`). */
export function versionPage(router: Router, { publicUrl: _, ...dependencies }: InstancePagesDependencies): void {
  const admit = signedIn(dependencies, ['ListPatientForms'])

  router.get(`${instancePath}/versions/:versionGuid`, admit, async ctx => {
    const { instanceGuid, versionGuid } = ctx.params
    const caller: Caller = ctx.state.caller
    const { tenantKey } = caller
    const reader = instanceReader(dependencies, caller.tenantId)
    const found = await reader.version({ id: guidIn(instanceGuid) }, guidIn(versionGuid))
    const { row, template, context, values, version } = found
    if (row.is_withdrawn === 1 && ctx.query.includeWithdrawn !== 'true') return withdrawnNotice(ctx)
    const isCurrent = version.id === row.current_version && row.is_deleted === 0
    const notice = noticeOf(ctx, found)
    const links =
      isCurrent || row.is_deleted === 1
        ? []
        : [{ href: viewLinkOf(tenantKey, row.id, row.current_version), label: 'Show the current version' }]
    const page = renderForm({
      template,
      given: values,
      context,
      faults: [],
      mode: 'read',
      action: editLinkOf(tenantKey, row.id),
      hidden: {},
      etag: etagOf(row),
      buttons: isCurrent && isAmendable(row) && caller.allows('Create') ? [amend] : [],
      facts: [
        ...(caller.allows('View:Subject') ? await personFacts(dependencies, caller, row) : []),
        ...factsOf(row, version),
      ],
      ...(notice ? { notice } : {}),
      links:
        isCurrent && isOpen(row) && caller.allows('Create')
          ? [{ href: editLinkOf(tenantKey, row.id), label: 'Fill it in' }]
          : links,
    })
    showPage(ctx, 200, page)
  })
}

const amend: Button = { action: 'amend', label: 'Amend', kind: 'secondary' }

export const editLinkOf = (tenantKey: string, instanceId: string): string =>
  `/forms/${encodeURIComponent(tenantKey)}/instances/${instanceId}`

/** It can be filled in. */
export const isOpen = ({ status, is_withdrawn }: InstanceRow): boolean => status !== 'Complete' && is_withdrawn === 0

/** What the fields of an instance hold when it is opened. */
export const givenIn = ({ row, template, context, values }: FilledInstance) =>
  row.status === 'New' ? initialGiven(template, context) : values

function withdrawnNotice(ctx: Context): void {
  showNotice(ctx, 404, {
    title: 'This form was withdrawn',
    text: 'It no longer counts. It is kept with its history.',
    links: [{ href: `${ctx.path}?includeWithdrawn=true`, label: 'Show it nevertheless' }],
  })
}

function noticeOf(ctx: Context, { row, version }: FilledInstance & { version: VersionRow }): FormPage['notice'] {
  if (row.is_withdrawn === 1) return { kind: 'error', title: 'Withdrawn', text: 'This form no longer counts.' }
  if (version.deleted_at !== null)
    return { kind: 'error', title: 'Discarded', text: 'This version was given up before it was complete.' }
  if (version.id !== row.current_version) return { kind: 'info', title: 'There is a later version of this form' }
  if (version.status !== 'Complete') return { kind: 'info', title: 'Not complete yet' }
  return ctx.query.submitted === 'true' ? { kind: 'success', title: 'The form is complete' } : undefined
}

const factsOf = (row: InstanceRow, version: VersionRow): { label: string; text: string }[] => [
  { label: 'Status', text: row.is_withdrawn === 1 ? 'Withdrawn' : version.status },
  { label: version.status === 'Complete' ? 'Submitted by' : 'Saved by', text: version.created_by },
  { label: version.status === 'Complete' ? 'Submitted' : 'Saved', text: momentText(version.modified_at) },
  { label: 'Form', text: `${row.form_key}, version ${row.form_version}` },
]

async function personFacts({ db }: InstanceStores, { tenantId }: Caller, { subject_id }: InstanceRow) {
  const name = await displayNameOf(db, tenantId, subject_id)
  return name === '' ? [] : [{ label: 'Person', text: name }]
}

const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/** Such as `21 November 2026 at 21:54 UTC`. */
export const momentText = (time: Date): string => `${moments.format(time)} UTC`
