import type Router from '@koa/router'
import type { Context } from 'koa'
import { instanceEdits } from '../../db/forms/instance-edits.js'
import { type FilledInstance, instanceReader } from '../../db/forms/instance-versions.js'
import { etagOf, type InstanceRow } from '../../db/forms/instances.js'
import { checkForm } from '../../forms/check.js'
import type { Given } from '../../forms/given.js'
import type { FormTemplate } from '../../forms/template.js'
import type { FormFault } from '../../forms/values.js'
import { badRequest, Problem } from '../../runtime/problem.js'
import type { Caller } from '../middleware/authenticate.js'
import { guidIn, seenIn } from './conditional.js'
import { givenIn, type InstancePagesDependencies, instancePath, isOpen } from './instance-pages.js'
import { type Button, type FormPage, renderForm } from './page.js'
import { showNotice, showPage, wantsPage } from './page-problems.js'
import { type PostedForm, readPosted, stepped, withoutBadFiles } from './posted-form.js'
import { viewLinkOf } from './shapes.js'
import { signedIn } from './sign-in.js'

/** The page on which an instance is filled in: drafts, completing, amending, discarding. */
export function editPage(router: Router, { publicUrl: _, ...dependencies }: InstancePagesDependencies): void {
  const admit = signedIn(dependencies, ['Create'])
  const found = (ctx: Context): Promise<FilledInstance> =>
    instanceReader(dependencies, ctx.state.caller.tenantId).byId({ id: guidIn(ctx.params.instanceGuid) })

  router.get(instancePath, admit, async ctx => {
    const instance = await found(ctx)
    if (!isOpen(instance.row)) return goTo(ctx, versionLink(ctx, instance.row))
    const notice =
      ctx.query.saved === 'true' ? { notice: { kind: 'success' as const, title: 'The draft is saved' } } : {}
    show(ctx, 200, instance, givenIn(instance), notice)
  })

  router.post(instancePath, admit, async ctx => {
    const instance = await found(ctx)
    const { row, template } = instance
    const posted = await readPosted(ctx, template)
    const etag = posted.field('etag') || etagOf(row)
    const next = stepped(template, posted)
    if (next) return show(ctx, 200, instance, next, { etag })
    try {
      answer(ctx, posted, await take(ctx, instance, posted))
    } catch (error) {
      const holdsEntries = ['save', 'complete'].includes(posted.action)
      if (!(error instanceof Problem) || !holdsEntries || !wantsPage(ctx)) throw error
      const faults = error.status === 400 ? faultsOf(instance, posted) : []
      const isRefused = [409, 412, 428].includes(error.status)
      if (faults.length === 0 && !isRefused) throw error
      const given = withoutBadFiles(template, posted.given, faults)
      show(ctx, error.status, instance, given, { etag, faults, ...(isRefused ? changedMeanwhile(ctx) : {}) })
    }
  })

  /** Does what the button says. */
  function take(ctx: Context, { row }: FilledInstance, { action, given, field }: PostedForm): Promise<InstanceRow> {
    const caller: Caller = ctx.state.caller
    const edits = instanceEdits(dependencies, caller.tenantId)
    const edit = { actor: caller.subject, seen: seenIn(field('etag')) }
    const named = { id: row.id }
    switch (action) {
      case 'save':
      case 'autosave':
        return edits.saveDraft(named, given, { ...edit, isAutoSave: action === 'autosave' })
      case 'complete':
        return edits.submit(named, given, edit)
      case 'amend':
        return edits.amend(named, edit)
      case 'discard':
        return edits.discard(named, edit)
      default:
        throw badRequest('action', 'There is no such action.')
    }
  }
}

/** Leads on to what there is to see now. A page that saves itself is told the new ETag. */
function answer(ctx: Context, { action }: PostedForm, row: InstanceRow): void {
  ctx.set('ETag', etagOf(row))
  if (action === 'autosave') ctx.status = 204
  else if (row.is_deleted === 1) {
    const text = `${row.title}\nNothing of it counts.`
    showNotice(ctx, 200, { kind: 'success', title: 'The form was discarded', text })
  } else if (action === 'complete') goTo(ctx, `${versionLink(ctx, row)}?submitted=true`)
  else if (action === 'discard') goTo(ctx, versionLink(ctx, row))
  else goTo(ctx, `${ctx.path}${action === 'save' ? '?saved=true' : ''}`)
}

const versionLink = (ctx: Context, { id, current_version }: InstanceRow): string =>
  viewLinkOf(ctx.state.caller.tenantKey, id, current_version)

function goTo(ctx: Context, address: string): void {
  ctx.status = 303
  ctx.redirect(address)
}

/** What is wrong with the fields, where they belong. */
const faultsOf = ({ template, context }: FilledInstance, { given, action }: PostedForm): FormFault[] =>
  checkForm(template, given, { complete: action === 'complete', context }).faults

const changedMeanwhile = (ctx: Context): Pick<FormPage, 'notice' | 'links'> => ({
  notice: {
    kind: 'error',
    title: 'Somebody else has changed this form meanwhile',
    text: 'What you have filled in is below and not saved. Note what you need, then open the form as it is now.',
  },
  links: [{ href: ctx.path, label: 'Open the form as it is now' }],
})

function show(
  ctx: Context,
  status: number,
  { row, template, context }: FilledInstance,
  given: Given,
  more: Partial<FormPage> = {},
): void {
  const page = renderForm({
    template,
    given,
    context,
    faults: [],
    mode: 'fill',
    action: ctx.path,
    hidden: {},
    etag: etagOf(row),
    buttons: buttonsOf(template),
    ...(template.allowSaveDraft && template.autoSaveIntervalSeconds > 0
      ? { autoSaveSeconds: template.autoSaveIntervalSeconds }
      : {}),
    ...more,
  })
  showPage(ctx, status, page)
}

const buttonsOf = ({ allowSaveDraft, allowDiscard }: FormTemplate): Button[] => [
  { action: 'complete', label: 'Complete', kind: 'primary' },
  ...(allowSaveDraft ? [{ action: 'save', label: 'Save draft', kind: 'secondary' } as const] : []),
  ...(allowDiscard ? [{ action: 'discard', label: 'Discard', kind: 'danger' } as const] : []),
]
