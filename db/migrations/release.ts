// The schema of the last release. During a rollout, that release keeps running on the schema of the next version.

/** The release contains the steps up to `lastStep`. `sha256` is their hash, by which a test notices that one was edited. */
export const release = {
  version: '1.0.0-rc.1',
  lastStep: 'baseline-webhook_retries',
  sha256: 'f2fabf415b2ac3f91c71b3fb56dbe60eccab7666d7a88dcc2dd89d85a3e9ef8d',
}
