// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhook_retries',
  sha256: 'f454f2266b441db2c2622a7434126eb0f345eceef56b7e0b61e5a16834e7c984',
}
