// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhook_retries',
  sha256: 'be2fbe49e4a6bff71d6bbcb8aeb6f2b7426124135f560e2ed40ca43a0dbdfb55',
}
