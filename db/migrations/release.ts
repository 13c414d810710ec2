// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhook_retries',
  sha256: '876a2e438a20813a5bc542c3f0e30a8ecbda121b7ebd8af82baa0bc6f6831146',
}
