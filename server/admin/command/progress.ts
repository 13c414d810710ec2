// Draws the progress of commands that take long.
import { SingleBar } from 'cli-progress'
import type { Shell } from './shell.js'

/**
 * Creates a progress bar. Undefined where the shell draws none.
 * @param format what is shown, as cli-progress describes it.
 */
export const progressBar = ({ bar: stream }: Shell, format: string): SingleBar | undefined =>
  stream && new SingleBar({ format, stream, gracefulExit: false, noTTYOutput: true, notTTYSchedule: 5_000 })
