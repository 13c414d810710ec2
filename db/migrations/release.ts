// The schema of the last release, which goes on running beside the next version while that is rolled out.

/** Steps up to `lastStep` are those of the release: `sha256` is over them, so that none is edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-tenant_move_tables',
  sha256: '68df7af6418e9b1a1cb216e9844eb9ea8bb7f153931ec98cb4577ddce49840c9',
}
