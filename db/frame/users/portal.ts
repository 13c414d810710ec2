// Manages who may see a subject in the portal.
import type { Knex } from 'knex'
import { newId } from '../../../runtime/ids.js'
import { conflict, fault, pointerPart } from '../../../runtime/problems/problem.js'
import type { Db, TenantId } from '../../connect.js'
import { transaction } from '../../errors.js'
import { type Page, type PageRequest, readPage } from '../../paging.js'
import { upsertRows } from '../../rows.js'
import type { StoredValues } from '../fields/custom-fields.js'
import { type PortalSettings, subjectSettings } from '../fields/subject-settings.js'
import { displayNameFieldsOf, displayNameIn, textsOf } from '../subjects/subject-names.js'
import { existingSubject } from '../subjects/subjects-by-id.js'
import { invitationMail } from './portal-invitation.js'
import { queueMails, withdrawMails } from './portal-mails.js'

/** Somebody who may see a subject in the portal (spec frame "Subject portal user"). */
export interface PortalUserRow {
  id: string
  /** Empty for the subject itself. */
  holder: string
  email: string
  display_name: string
}

/** Who is invited: the subject itself, or third parties by their e-mail addresses. */
export type Invited = 'self' | readonly string[]

interface Portal {
  /** The subject's own id. The request may have used the id of a subject that was merged into it. */
  subjectId: string
  settings: PortalSettings
  displayName: string
  values: StoredValues
}

/** Normalizes an e-mail address, so that people are told apart regardless of letter case. */
export const holderOf = (email: string): string => email.toLowerCase()

/**
 * The portal users of one tenant's subjects (spec frame "Subject portal"). Every function throws Problem 404 when the subject does not
 * exist, and 409 when the tenant has no portal.
 */
export const portalStore = (db: Db, tenant: TenantId) => ({
  async page(id: string, page: PageRequest): Promise<Page<PortalUserRow>> {
    const portal = await portalOf(db, tenant, id)
    const { subjectId } = portal
    const self = selfOf(portal)
    const ofSelf = (column: string, text: string) => db.raw(`IF(holder = '', ?, email) AS ${column}`, [text])
    const users = () =>
      db('subject_access_users')
        .where({ tenant_id: tenant, subject_id: subjectId })
        .select('id', 'holder', ofSelf('email', self.email), ofSelf('display_name', self.displayName))
        .as('users')
    return readPage<PortalUserRow>(() => db.select('*').from(users()), 'id', page)
  },

  /**
   * Returns those of the third parties who are not invited yet, in the same order.
   * @throws Problem 409 as {@link inviteThirdParties}.
   */
  async newcomers(id: string, emails: readonly string[]): Promise<string[]> {
    const portal = await portalOf(db, tenant, id)
    refuseInvitation(portal, emails)
    const invited = new Set((await usersOf(db, tenant, portal.subjectId, emails)).map(({ holder }) => holder))
    return emails.filter(email => !invited.has(holderOf(email)))
  },

  /**
   * Gives the subject itself access to the portal, unless it already has access.
   * @throws Problem 409 when self access is not enabled, or the subject lacks required values.
   */
  async inviteSelf(id: string): Promise<void> {
    await transaction(db, tenant, async trx => {
      const portal = await portalOf(trx, tenant, id)
      refuseInvitation(portal, 'self')
      await writeUsers(trx, tenant, portal.subjectId, [''])
    })
  },

  /**
   * Removes access to the portal, and withdraws mails that have not been sent. Does nothing for people without access.
   * @throws Problem 409 when that kind of access is not enabled.
   */
  async remove(id: string, who: Invited): Promise<void> {
    await transaction(db, tenant, async trx => {
      const portal = await portalOf(trx, tenant, id)
      refuseKind(portal, who)
      const users = await usersOf(trx, tenant, portal.subjectId, who === 'self' ? [''] : who)
      const ids = users.map(({ id }) => id)
      await trx('subject_access_users').where({ tenant_id: tenant }).whereIn('id', ids).delete()
      await withdrawMails(trx, tenant, ids)
    })
  },
})

/**
 * Invites third parties and queues their mails, inside the transaction that accepts their job. People who are invited already get no
 * second mail.
 * @throws Problem 404 and 409 as {@link portalStore}. 409 also when third-party access is not enabled, or the subject
 *   lacks required values.
 */
export async function inviteThirdParties(
  trx: Knex.Transaction,
  tenant: TenantId,
  subjectId: string,
  emails: readonly string[],
  jobId: string,
): Promise<void> {
  const portal = await portalOf(trx, tenant, subjectId)
  refuseInvitation(portal, emails)
  const invited = await writeUsers(trx, tenant, portal.subjectId, emails)
  const { name } = await trx('tenants').where({ id: tenant }).first('name')
  await queueMails(trx, tenant, jobId, invited, invitationMail(name, portal.settings.url))
}

/**
 * Erases the portal users of a subject, and the contents of their mails. The rows of the mails stay, because their jobs count them.
 */
export async function eraseAccess(trx: Knex.Transaction, tenant: TenantId, subjectId: string): Promise<void> {
  const users = () => trx('subject_access_users').where({ tenant_id: tenant, subject_id: subjectId })
  const ids: string[] = await users().pluck('id')
  await users().delete()
  await withdrawMails(trx, tenant, ids)
  const nothing = { recipient: '', subject: '', body: '', reason: null }
  await trx('portal_mails').where({ tenant_id: tenant }).whereIn('access_user_id', ids).update(nothing)
}

/**
 * Reads what is needed to manage access to a subject. Inside a transaction, locks the settings and the subject, so that invitations and
 * removals for one subject come one after the other.
 */
async function portalOf(db: Db, tenant: TenantId, id: string): Promise<Portal> {
  const subjects = await subjectSettings(db, tenant, db.isTransaction ? 'share' : undefined)
  const { portal: settings } = subjects
  const { id: subjectId, values } = await existingSubject(db, tenant, id)
  if (!settings.selfAccess && !settings.thirdParty) {
    throw conflict('portal-not-configured', 'The subject portal is not configured.')
  }
  return { subjectId, settings, values, displayName: displayNameIn(displayNameFieldsOf(subjects), values) }
}

/** Returns the e-mail address and name of the subject itself in the list of portal users, taken from its current values. */
function selfOf({ settings, displayName, values }: Portal): { email: string; displayName: string } {
  const email = textsOf(values, settings.emailField ?? '')[0] ?? ''
  return { email, displayName: displayName || email }
}

function refuseKind({ settings }: Portal, who: Invited): void {
  if (who === 'self' && !settings.selfAccess) {
    throw conflict('self-access-not-enabled', 'Self access to the subject portal is not enabled.')
  }
  if (who !== 'self' && !settings.thirdParty) {
    throw conflict('third-party-access-not-enabled', 'Third-party access to the subject portal is not enabled.')
  }
}

function refuseInvitation(portal: Portal, who: Invited): void {
  refuseKind(portal, who)
  const { settings, values } = portal
  const needed = new Set(settings.matchingFields)
  if (who === 'self' && settings.emailField !== undefined) needed.add(settings.emailField)
  const lacking = [...needed].filter(key => textsOf(values, key).length === 0)
  if (lacking.length === 0) return
  const faults = lacking.map(key =>
    fault(
      `/CustomFieldValues/${pointerPart(key)}`,
      'missing-value',
      `The subject has no value for the custom field '${key}', which the invitation needs.`,
    ),
  )
  throw conflict('portal-values-missing', 'The subject lacks values that the invitation needs.', faults)
}

async function usersOf(
  db: Db,
  tenant: TenantId,
  subjectId: string,
  emails: readonly string[],
): Promise<Pick<PortalUserRow, 'id' | 'holder'>[]> {
  return db('subject_access_users')
    .where({ tenant_id: tenant, subject_id: subjectId })
    .whereIn('holder', emails.map(holderOf))
    .select('id', 'holder')
}

/** Writes portal users, unless they exist already. @returns those that are new. */
async function writeUsers(
  trx: Knex.Transaction,
  tenant: TenantId,
  subjectId: string,
  emails: readonly string[],
): Promise<{ id: string; email: string }[]> {
  const users = emails.map(email => ({ id: newId(), email }))
  const columns = ['tenant_id', 'subject_id', 'holder', 'id', 'email']
  const rows = users.map(({ id, email }) => [tenant, subjectId, holderOf(email), id, email])
  await upsertRows(trx, 'subject_access_users', columns, rows, [])
  const written = new Set((await usersOf(trx, tenant, subjectId, emails)).map(({ id }) => id))
  return users.filter(({ id }) => written.has(id))
}
