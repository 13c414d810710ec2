// The schema of the last release, which goes on running beside the next version while that is rolled out.

/** Steps up to `lastStep` are those of the release: `sha256` is over them, so that none is edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhooks',
  sha256: 'e8e2ce6da41461edd84aaa6a66c538d3717b594c2ef8a943e3e733661a0cf269',
}
