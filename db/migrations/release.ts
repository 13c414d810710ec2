// The schema of the last release, which goes on running beside the next version while that is rolled out.

/** Steps up to `lastStep` are those of the release: `sha256` is over them, so that none is edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhooks',
  sha256: '96f373c4f2bcca1431d88e8f7cdfcdc815ab7ec35af5674651e0f26dd4bcf487',
}
