// Serves the page on which a user fills in a form instance.
import type Router from '@koa/router'
import type { Context } from 'koa'
import { recordLater } from '../../../db/audit/later-events.js'
import { instanceEdits } from '../../../db/forms/instances/instance-edits.js'
import { type FilledInstance, instanceReader } from '../../../db/forms/instances/instance-versions.js'
import { etagOf, type InstanceRow } from '../../../db/forms/instances/instances.js'
import { checkForm } from '../../../forms/check.js'
import type { SubmittedValues } from '../../../forms/submitted-values.js'
import type { FormTemplate } from '../../../forms/template.js'
import { badRequest, Problem } from '../../../runtime/problems/problem.js'
import type { Caller } from '../../caller.js'
import { validateParams } from '../../middleware/validate.js'
import { serve } from '../../operation.js'
import { seenIn } from '../instances/if-match.js'
import { viewLinkOf } from '../instances/shapes.js'
import { editLinkOf, type InstancePagesDependencies, isOpen, personOf } from './instance-pages.js'
import { renderPage } from './large-pages.js'
import type { Button, FormPage } from './page.js'
import { pages } from './page-declarations.js'
import { initialGiven } from './page-initial.js'
import { showNotice, showPage, wantsPage } from './page-problems.js'
import { type PostedForm, readPosted, stepped, withoutBadFiles } from './posted-form.js'
import { signedIn } from './sign-in.js'

/** Registers the page on which users fill in an instance: save a draft, complete, amend or discard it. */
export function editPage(router: Router, { publicUrl: _, ...dependencies }: InstancePagesDependencies): void {
  const admit = signedIn(dependencies, ['Create'])
  const readPath = validateParams(pages.fillIn.params)
  const found = (ctx: Context): Promise<FilledInstance> =>
    instanceReader(dependencies, ctx.state.caller.tenantId).byId({ id: ctx.params.instanceGuid })
  /** Tells the audit that an answer to a change shows the person, as the page does when it is opened. */
  const noteRead = (ctx: Context) => recordLater(ctx.state.caller.tenantId, 'read')
  const person = (ctx: Context, row: InstanceRow) => personOf(dependencies, ctx.state.caller, row)

  serve(router, pages.fillIn, admit, readPath, async ctx => {
    const instance = await found(ctx)
    const { row, template, context, values } = instance
    if (!isOpen(row)) return showClosed(ctx, row)
    const given = row.status === 'New' ? initialGiven(template, context) : values
    await show(ctx, 200, instance, given, ctx.query.done === 'save' ? { notice: saved } : {})
  })

  serve(router, pages.answerPage, admit, readPath, async ctx => {
    const instance = await found(ctx)
    const posted = await readPosted(ctx, instance.template)
    const next = stepped(instance.template, posted, instance.context)
    if (next) {
      noteRead(ctx)
      return show(ctx, 200, instance, next, { etag: posted.field('etag') })
    }
    try {
      await answer(ctx, posted, await applyAction(ctx, instance.row, posted))
    } catch (error) {
      if (!(error instanceof Problem) || !wantsPage(ctx)) throw error
      await refuse(ctx, instance, posted, error)
    }
  })

  /** Performs the action of the button that was pressed. */
  function applyAction(ctx: Context, { id }: InstanceRow, { action, given, field }: PostedForm): Promise<InstanceRow> {
    const caller: Caller = ctx.state.caller
    const edits = instanceEdits(dependencies, caller.tenantId)
    const edit = { actor: caller.subject, seen: seenIn(field('etag')) }
    switch (action) {
      case 'save':
      case 'autosave':
        return edits.saveDraft({ id }, given, { ...edit, isAutoSave: action === 'autosave' })
      case 'complete':
        return edits.submit({ id }, given, edit)
      case 'amend':
        return edits.amend({ id }, edit)
      case 'discard':
        return edits.discard({ id }, edit)
      default:
        throw badRequest('action', 'There is no such action.')
    }
  }

  /**
   * Shows the page again with the posted values, and its faults or the conflict.
   * @throws the problem if it is neither of these.
   */
  async function refuse(ctx: Context, instance: FilledInstance, posted: PostedForm, problem: Problem): Promise<void> {
    noteRead(ctx)
    const { template, context } = instance
    const { given, action } = posted
    const isFilledIn = ['save', 'complete'].includes(action)
    const etag = posted.field('etag')
    if ([409, 412, 428].includes(problem.status)) {
      if (isFilledIn) return show(ctx, problem.status, instance, given, { etag, ...changedMeanwhile(ctx) })
      const { title, links } = changedElsewhere(ctx)
      return showNotice(ctx, problem.status, {
        title,
        text: 'Nothing was done.',
        links,
        person: await person(ctx, instance.row),
      })
    }
    const { faults } = checkForm(template, given, { complete: action === 'complete', context })
    if (problem.status !== 400 || !isFilledIn || faults.length === 0) throw problem
    await show(ctx, 400, instance, withoutBadFiles(template, given, faults), { etag, faults })
  }

  async function show(
    ctx: Context,
    status: number,
    { row, template, context }: FilledInstance,
    given: SubmittedValues,
    more: Partial<FormPage> = {},
  ): Promise<void> {
    const isSavingItself = template.allowSaveDraft && template.autoSaveIntervalSeconds > 0
    const page = await renderPage(ctx.state.caller.tenantId, {
      template,
      given,
      context,
      faults: [],
      mode: 'fill',
      action: linkTo(ctx),
      basePath: ctx.state.basePath,
      hidden: {},
      etag: etagOf(row),
      buttons: buttonsOf(template, row),
      person: await person(ctx, row),
      ...(isSavingItself ? { autoSaveSeconds: template.autoSaveIntervalSeconds } : {}),
      ...more,
    })
    showPage(ctx, status, page)
  }

  /** Redirects to the page that shows the result. An automatic save gets only the new ETag. */
  async function answer(ctx: Context, { action }: PostedForm, row: InstanceRow): Promise<void> {
    ctx.set('ETag', etagOf(row))
    if (action === 'autosave') ctx.status = 204
    else if (row.is_deleted === 1) {
      const text = `${row.title}\nIt no longer counts.`
      const title = 'The form was discarded'
      showNotice(ctx, 200, { kind: 'success', title, text, person: await person(ctx, row) })
    } else if (isOpen(row)) goTo(ctx, `${linkTo(ctx)}${action === 'save' ? '?done=save' : ''}`)
    else await showClosed(ctx, row, `?done=${action}`)
  }

  /** Shows an instance that cannot be edited to users who may see it; others get a notice. */
  async function showClosed(ctx: Context, row: InstanceRow, query = ''): Promise<void> {
    const { tenantKey, allows }: Caller = ctx.state.caller
    const title = row.is_withdrawn === 1 ? 'This form was withdrawn' : 'The form is complete'
    if (allows('ListPatientForms'))
      goTo(ctx, ctx.state.basePath + viewLinkOf(tenantKey, row.id, row.current_version) + query)
    else showNotice(ctx, 200, { kind: 'info', title, text: row.title, person: await person(ctx, row) })
  }
}

const saved = { kind: 'success', title: 'The draft is saved' } as const

const linkTo = (ctx: Context): string =>
  ctx.state.basePath + editLinkOf(ctx.state.caller.tenantKey, ctx.params.instanceGuid)

function goTo(ctx: Context, address: string): void {
  ctx.status = 303
  ctx.redirect(address)
}

const changedElsewhere = (ctx: Context) => ({
  title: 'Somebody else has changed this form meanwhile',
  links: [{ href: linkTo(ctx), label: 'Open the form as it is now' }],
})

function changedMeanwhile(ctx: Context): Pick<FormPage, 'notice' | 'links'> {
  const { title, links } = changedElsewhere(ctx)
  const text = 'What you have filled in is below and not saved. Note what you need, then open the form as it is now.'
  return { notice: { kind: 'error', title, text }, links }
}

const buttonsOf = ({ allowSaveDraft, allowDiscard }: FormTemplate, { reported_version }: InstanceRow): Button[] => [
  { action: 'complete', label: 'Complete', kind: 'primary' },
  ...(allowSaveDraft ? [{ action: 'save', label: 'Save draft', kind: 'secondary' } as const] : []),
  ...(allowDiscard
    ? [
        {
          action: 'discard',
          label: reported_version === null ? 'Discard' : 'Discard amendment',
          kind: 'danger',
        } as const,
      ]
    : []),
]
