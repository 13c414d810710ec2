// The settings of editors name what there is.
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import config from '../../vitest.config.js'

const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'))

interface Launch {
  name: string
  program?: string
  args?: string[]
  runtimeArgs?: string[]
}
const launches: Launch[] = read('.vscode/launch.json').configurations

test('the debugger starts scripts, programs and test projects that are there', () => {
  const { scripts } = read('package.json')
  for (const { program, runtimeArgs } of launches) {
    if (program) expect(existsSync(program.replace(/^\$\{workspaceFolder\}\//, '')), program).toBe(true)
    if (runtimeArgs) expect(Object.keys(scripts)).toContain(runtimeArgs.at(-1))
  }
  const projects = Object(config).test.projects.map((project: { test: { name: string } }) => project.test.name)
  const named = launches.flatMap(({ args = [] }) => args.filter((_, n) => args[n - 1] === '--project'))
  expect(named.length).toBeGreaterThan(0)
  expect(projects).toEqual(expect.arrayContaining(named))
})

test('CONTRIBUTING.md names every configuration of the debugger', () => {
  const page = readFileSync('CONTRIBUTING.md', 'utf8')
  expect(launches.filter(({ name }) => !page.includes(`"${name}"`))).toEqual([])
})

test('editors format as Biome does, by an extension that is recommended', () => {
  const { indentWidth, indentStyle, lineWidth } = read('biome.json').formatter
  const editorconfig = readFileSync('.editorconfig', 'utf8')
  expect(editorconfig).toContain(`indent_style = ${indentStyle}\nindent_size = ${indentWidth}\n`)
  expect(editorconfig).toContain(`max_line_length = ${lineWidth}\n`)
  expect(read('.vscode/extensions.json').recommendations).toContain(
    read('.vscode/settings.json')['editor.defaultFormatter'],
  )
})
