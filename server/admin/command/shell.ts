/** Where a command gets its settings from and where it prints. */
export interface Shell {
  env: NodeJS.ProcessEnv
  console: Pick<Console, 'log' | 'error'>
  /** Where a progress bar is drawn; without it, no bar is shown. */
  bar?: NodeJS.WriteStream
}
