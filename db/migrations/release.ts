// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-audit_chains',
  sha256: 'f84453d7aef0c5e19a3d7cd3b5f60284c3a1fd1aa29310562a267c1f26869bbb',
}
