// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhooks',
  sha256: 'f8b6a3c2e91166012af9e7af41d62cf0419d764a5bef9615f85f50c110cab754',
}
