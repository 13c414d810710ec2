// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-audit_chains',
  sha256: '72f9a068e40ba62aac3389c37178159636982e42a0115555d6f3e5cd8fec2487',
}
