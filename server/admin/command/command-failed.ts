/** Ends the command with lines for the user and an exit code. */
export class CommandFailed extends Error {
  constructor(
    readonly lines: readonly string[],
    readonly exitCode: 1 | 2 = 1,
  ) {
    super(lines.join('\n'))
  }
}
