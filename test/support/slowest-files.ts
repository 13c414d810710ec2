// Prints the slowest test files at the end of a long run.
import type { Reporter, TestModule } from 'vitest/node'

const shown = 20
/** A file of the default run should not take longer. Make a slower one cheaper, or move it to the long tests. */
const budgetSeconds = 10

export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= shown) return
    const files = modules.map(module => ({
      file: module.relativeModuleId,
      project: module.project.name,
      // Imports are not counted: the files of a worker share them, so the first file would pay for all.
      seconds: module.diagnostic().duration / 1000,
    }))
    files.sort((a, b) => b.seconds - a.seconds)
    const line = ({ file, project, seconds }: (typeof files)[number]) =>
      `${seconds.toFixed(1).padStart(7)}  ${project}  ${file}${seconds > budgetSeconds ? '  OVER' : ''}`
    console.log(
      `\nThe slowest ${shown} of ${files.length} test files, in seconds; the budget of a file is ${budgetSeconds} s:`,
    )
    for (const each of files.slice(0, shown)) console.log(line(each))
    const over = files.filter(({ seconds }) => seconds > budgetSeconds)
    console.log(
      over.length === 0
        ? `\nNo file is over its budget of ${budgetSeconds} s.`
        : `\n${over.length} of them are over their budget of ${budgetSeconds} s:\n${over.map(line).join('\n')}`,
    )
  }
}
