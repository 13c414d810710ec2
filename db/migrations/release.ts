// The schema of the last release, which goes on running beside the next version while that is rolled out.

/** Steps up to `lastStep` are those of the release: `sha256` is over them, so that none is edited. */
export const release = {
  version: '0.1.0',
  lastStep: '2026-11-webhooks-webhooks',
  sha256: 'a61383e58a6f2269034f351f157584d90de758c6fbbadf7f2588857f99a1eb7a',
}
