// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-audit_chains',
  sha256: 'ab9b8fa7521451db5d1fb890d16e35a70cb584a81f781ffd6d3678479f5f2f71',
}
