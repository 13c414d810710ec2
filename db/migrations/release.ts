// The schema of the last release, which goes on running beside the next version while that is rolled out.

/** Steps up to `lastStep` are those of the release: `sha256` is over them, so that none is edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhooks',
  sha256: '7ba636791f9da7a0bbd83e40a1852fb7aaa7f14dd8232c2153b4c152777cf62f',
}
