// Mails of invitations that a mail server has refused for good.
import type { Db } from '../connect.js'
import { columnsOf, type Kind, ofTenant } from './cause.js'

/**
 * Mails that were refused, as long as the person is invited and has got no later mail. Mails that are kept because there
 * is no mail server are not among them: that is how the installation was set up.
 */
export const mails: Kind = {
  permission: 'View:SubjectAccessInvite',
  find: (db, tenant) =>
    db('tenants as t')
      .modify(ofTenant(tenant, 't.id'))
      .join('portal_mails as m', 'm.tenant_id', 't.id')
      .join('jobs as j', { 'j.tenant_id': 'm.tenant_id', 'j.id': 'm.job_id' })
      .join('subject_access_users as u', { 'u.tenant_id': 'm.tenant_id', 'u.id': 'm.access_user_id' })
      .where({ 'm.state': 'failed', 'j.deleted_at': null })
      .whereNotExists(laterMail(db))
      .select(
        'm.tenant_id',
        columnsOf(db, {
          subject: 'm.id',
          since: db.raw('COALESCE(j.finished_at, j.accepted_at)'),
          job: 'j.id',
          about: 'm.reason',
        }),
      ),
  advise: ({ about }) => ({
    why: `The mail of an invitation to the portal was refused for good (${about}).`,
    nextStep: 'Remove the invitation, and invite again with an address that takes mails.',
    action: null,
  }),
}

/** Selects later mails to the person that the mail `m` was for. */
const laterMail = (db: Db) =>
  db('portal_mails as n')
    .whereRaw('n.tenant_id = m.tenant_id AND n.access_user_id = m.access_user_id AND n.id > m.id')
    .whereIn('n.state', ['queued', 'sent'])
    .select(db.raw('1'))
