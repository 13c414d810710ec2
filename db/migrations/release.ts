// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-audit_chains',
  sha256: 'be70ac7282dc32cd18cf56f9ca0cedc4a9b8cbd6e3e9e131e5b2095e6be7a440',
}
