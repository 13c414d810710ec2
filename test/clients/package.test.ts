// The package of `armature/client`, as a program of somebody else installs it.
import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { projectRoot } from '../../dev/programs.js'

test('it installs with two packages of others, has types, and runs the program of the guide', async () => {
  const page = await readFile(join(projectRoot, 'docs', 'client.md'), 'utf8')
  const program = [...page.matchAll(/^```ts session\n(.*?)^```/gms)].map(([, block = '']) => block).join('')
  const directory = await mkdtemp(join(tmpdir(), 'armature-package-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const run = (program: string, args: string[], env: NodeJS.ProcessEnv = process.env) =>
    execFileSync(program, args, { cwd: directory, encoding: 'utf8', env })

  const packed = run('npm', ['run', '--silent', '--prefix', projectRoot, 'client:pack']).trim()
  await writeFile(join(directory, 'package.json'), '{"name":"theirs","private":true,"type":"module"}')
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', packed])
  const manifest = JSON.parse(await readFile(join(directory, 'node_modules', 'armature', 'package.json'), 'utf8'))
  expect(Object.keys(manifest.dependencies)).toEqual(['openapi-fetch', 'openid-client'])

  await writeFile(join(directory, 'session.ts'), program)
  const compilerOptions = {
    ...{ target: 'ES2023', lib: ['ES2023'], module: 'NodeNext', strict: true, skipLibCheck: false },
    ...{ types: ['node'], typeRoots: [join(projectRoot, 'node_modules', '@types')] },
  }
  await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['session.ts'] }))
  run(process.execPath, [join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', '.'])
  const { port } = new URL(inject('baseUrl'))
  expect(run(process.execPath, ['session.js'], { ...process.env, PORT: port })).toContain('Ward A 200')
  // Without types, a wrong name of a member would compile.
  await writeFile(join(directory, 'session.ts'), program.replace('Key: ', 'Kay: '))
  expect(() =>
    run(process.execPath, [join(projectRoot, 'node_modules/typescript/bin/tsc'), '--project', '.']),
  ).toThrow()
})
