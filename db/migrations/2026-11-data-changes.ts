import type { Step } from './index.js'

export const dataChanges: Step[] = [
  {
    // `since`: the number of the earliest change that is not fetched yet, which readers wait for. `pushed`: that of the latest
    // one that came with rows, which are newer than what was asked for before.
    name: '2026-11-data-changes-since',
    up: `ALTER TABLE data_set_changes ADD COLUMN since BIGINT UNSIGNED NOT NULL DEFAULT 0, ADD COLUMN pushed BIGINT UNSIGNED NOT NULL DEFAULT 0`,
  },
  { name: '2026-11-data-changes-earlier', up: 'UPDATE data_set_changes SET since = ticket, pushed = ticket' },
]
