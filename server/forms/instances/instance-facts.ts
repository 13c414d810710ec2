// Collects the facts that a page shows about a version: status, user, time, form.
import type { VersionRow } from '../../../db/forms/instances/instance-versions.js'
import type { InstanceRow, InstanceStores } from '../../../db/forms/instances/instances.js'
import { userStore } from '../../../db/frame/users/users.js'
import type { Caller } from '../../caller.js'

interface Fact {
  label: string
  text: string
}

/**
 * Describes a version: its status, its form, and who saved it when. Callers who may not list users see an id instead of
 * a name.
 */
export async function versionFacts(
  stores: InstanceStores,
  caller: Caller,
  row: InstanceRow,
  { status, created_by: user, modified_at }: VersionRow,
): Promise<Fact[]> {
  const done = status === 'Complete' ? 'Submitted' : status === 'Draft' ? 'Saved' : 'Created'
  const name = caller.allows('List:User') ? await userStore(stores.db, caller.tenantId).nameOf(user) : undefined
  return [
    { label: 'Status', text: row.is_withdrawn === 1 ? 'Withdrawn' : status },
    { label: `${done} by`, text: name ?? user },
    { label: done, text: momentText(modified_at) },
    { label: 'Form', text: `${row.form_key}, version ${row.form_version}` },
  ]
}

const moments = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** Writes a time such as `21 Nov 2026, 21:54 UTC`. */
const momentText = (time: Date): string => `${moments.format(time)} UTC`
