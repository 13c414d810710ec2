// The schema of the last release, which goes on running beside the next version while that is rolled out.

/** Steps up to `lastStep` are those of the release: `sha256` is over them, so that none is edited. */
export const release = {
  version: '0.2.0',
  lastStep: '2026-11-words-of-subjects-words_by_subject',
  sha256: 'c90651049b571b7da72f6b5400bb1ce708b9b6639bfdb5e8c4a1829c910f7d63',
}
