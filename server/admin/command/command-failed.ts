/** Ends the command: what it says and its exit code. */
export class CommandFailed extends Error {
  constructor(
    readonly lines: readonly string[],
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(lines.join('\n'))
  }
}
