// Providers that running processes do not call at present, because they do not answer.
import { ago } from '../clock.js'
import { livingCircuits } from '../glue/providers/circuits.js'
import { columnsOf, type Kind, ofTenant } from './cause.js'

/**
 * A circuit that fails tries a call every few minutes as long as there are calls. One that has not changed for longer belongs to a process
 * that no longer calls the provider, and says nothing of it.
 */
const longestSilenceMs = 3_600_000

/** One row for each provider, whatever the number of processes whose circuit is open. */
export const providers: Kind = {
  permission: 'List:Job',
  find: (db, tenant) =>
    livingCircuits(db)
      .modify(ofTenant(tenant))
      .whereNotNull('failing_since')
      .where('changed_at', '>=', ago(db, longestSilenceMs))
      .groupBy('tenant_id', 'provider_key')
      .select(
        'tenant_id',
        columnsOf(db, {
          subject: 'provider_key',
          since: db.raw('MIN(failing_since)'),
          about: db.raw('MAX(last_failure)'),
          amount: db.raw('COUNT(*)'),
        }),
      ),
  advise: ({ subject, about }) => ({
    why: `The provider '${subject}' fails${about === null ? '' : ` (${about})`}, and is called only now and then.`,
    nextStep:
      'Have the provider looked at. Calls go on by themselves when it answers, and nothing has to be restarted.',
    action: null,
  }),
}
