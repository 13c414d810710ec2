// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-audit_chains',
  sha256: '7bc9d47fc6c330f9ebd23e6fa373b849b83841d2954bbb6d738674f7cfa1d0c7',
}
