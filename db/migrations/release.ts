// The schema of the last release, which goes on running beside the next version while that is rolled out.

/** Steps up to `lastStep` are those of the release: `sha256` is over them, so that none is edited. */
export const release = {
  version: '0.3.0',
  lastStep: '2026-11-words-of-subjects-fill',
  sha256: '6c33289410dddd223257ba4d43fcf7a76260459dbf33cb986859cec3ca52137c',
}
