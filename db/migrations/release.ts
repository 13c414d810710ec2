// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhook_retries',
  sha256: '89dc778cfc32d03e96b857c9e0bac9e397a8427eec7042bdfa6b4572ada2a798',
}
