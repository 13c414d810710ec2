// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhook_retries',
  sha256: '5dc73b3786464435051dcf81c406d84ce73b381548ddabe0e91d1bcadc09e86d',
}
