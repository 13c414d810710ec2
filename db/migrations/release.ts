// The schema of the last release, which goes on running beside the next version while that is rolled out.

/** Steps up to `lastStep` are those of the release: `sha256` is over them, so that none is edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhooks',
  sha256: '0eb9e274668e87d7e64bc058603c4266b37a49d0669ab4c9a92a4eba1fbd19ca',
}
