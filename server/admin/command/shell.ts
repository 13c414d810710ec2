/** Where a command takes its settings from, and what it prints to. */
export interface Shell {
  env: NodeJS.ProcessEnv
  console: Pick<Console, 'log' | 'error'>
  /** Where a progress bar is drawn; without it there is none. */
  bar?: NodeJS.WriteStream
}
