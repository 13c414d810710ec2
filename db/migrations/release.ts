// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhooks',
  sha256: '6ff29d684966b3b519e3fbdc3dc2c42de4007a39f2895afb806172eb5d1a3f8b',
}
