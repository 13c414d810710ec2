// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhook_retries',
  sha256: '607e5a9be5e3d606479e3f2f65f565e02d7907093d3b4b30981493185093eeff',
}
