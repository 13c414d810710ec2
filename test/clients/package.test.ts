// The package of `armature/client` and `armature/nexus`, as programs of somebody else install it.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { expect, inject, onTestFinished, test } from 'vitest'
import { supervise } from '../../dev/supervise.js'
import { createNexusCodec } from '../../nexus/codec.js'
import { projectRoot } from '../../runtime/process/version.js'
import { newTenant } from '../support/api.js'
import { plantWards } from '../support/factories.js'
import { demoSubjects } from '../support/manifest.js'

/** The blocks of a page of docs/ that belong to one file. */
async function programIn(page: string, name: string): Promise<string> {
  const text = await readFile(join(projectRoot, 'docs', page), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`ts ${name}\n(.*?)^\`\`\``, 'gms'))]
    .map(([, block = '']) => block)
    .join('')
}

/** A directory of somebody else, with the package and others installed. */
async function theirProject(packages: readonly string[] = []) {
  const directory = await mkdtemp(join(tmpdir(), 'armature-package-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const run = (program: string, args: string[], env: NodeJS.ProcessEnv = process.env) =>
    execFileSync(program, args, { cwd: directory, encoding: 'utf8', env })
  const packed = run('npm', ['run', '--silent', '--prefix', projectRoot, 'client:pack']).trim()
  await writeFile(join(directory, 'package.json'), '{"name":"theirs","private":true,"type":"module"}')
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', packed, ...packages])
  return {
    directory,
    run,
    /** Compiles files with the strictest reading of all declarations. @throws Error where they have a fault. */
    async compile(files: Record<string, string>): Promise<void> {
      for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text)
      const compilerOptions = {
        ...{ target: 'ES2023', lib: ['ES2023'], module: 'NodeNext', strict: true, skipLibCheck: false },
        ...{ types: ['node'], typeRoots: [join(projectRoot, 'node_modules', '@types')] },
      }
      await writeFile(join(directory, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }))
      run(process.execPath, [join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', '.'])
    },
  }
}

test('the package of the client installs with two dependencies, has types, and runs the program of the guide', async () => {
  const program = await programIn('client.md', 'session')
  const { directory, run, compile } = await theirProject()
  const lock = JSON.parse(await readFile(join(directory, 'package-lock.json'), 'utf8'))
  const { dependencies } = lock.packages['node_modules/armature']
  expect(Object.keys(dependencies)).toEqual(['openapi-fetch', 'openid-client'])
  expect(Object.keys(lock.packages).filter(name => /temporalio|nexus/.test(name))).toEqual([])

  await compile({ 'session.ts': program })
  const { port } = new URL(inject('baseUrl'))
  expect(run(process.execPath, ['session.js'], { ...process.env, PORT: port })).toContain('Ward A 200')
  // Without types, a wrong name of a member would compile.
  await expect(compile({ 'session.ts': program.replace('Key: ', 'Kay: ') })).rejects.toThrow()
})

test('a worker in TypeScript has the types of the Nexus service, and its workflow waits for our jobs', async () => {
  const { dependencies } = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8'))
  const packages = ['@temporalio/worker', '@temporalio/workflow'].map(name => `${name}@${dependencies[name]}`)
  const [worker, workflows] = await Promise.all([programIn('nexus.md', 'worker'), programIn('nexus.md', 'workflows')])
  const { directory, compile } = await theirProject(packages)
  // Temporal's own declarations lack it.
  const lacking = { 'ms.d.ts': "declare module 'ms' { export type StringValue = string }" }
  // Of an operation, of its input and of its result.
  for (const [right, wrong] of [
    ["'transferSubjects'", "'transferPeople'"],
    ['SourceStructuralEntityKey', 'SourceEntityKey'],
    ['counts', 'numbers'],
  ] as const) {
    await expect(compile({ ...lacking, 'workflows.ts': workflows.replaceAll(right, wrong) }), wrong).rejects.toThrow()
  }
  await compile({ ...lacking, 'worker.ts': worker, 'workflows.ts': workflows })

  const tenant = await newTenant(inject('baseUrl'), {}, { subjects: demoSubjects })
  await plantWards(tenant, 'east')
  const { clientId, clientSecret } = await tenant.client(['*'])
  const key = randomBytes(32)
  const address = inject('temporalAddress')
  const env = {
    ...process.env,
    TEMPORAL_ADDRESS: address,
    NEXUS_ENCRYPTION_KEY: key.toString('base64'),
    ARMATURE_URL: inject('baseUrl'),
    ARMATURE_CLIENT_ID: clientId,
    ARMATURE_CLIENT_SECRET: clientSecret,
  }
  const connection = await Connection.connect({ address })
  onTestFinished(() => connection.close())
  const target = { worker: { namespace: 'default', taskQueue: 'armature-nexus' } }
  await connection.operatorService.createNexusEndpoint({ spec: { name: 'armature', target } })
  const scripts = { nexus: join(projectRoot, 'dist', 'nexus', 'main.js'), wards: join(directory, 'worker.js') }
  for (const [name, script] of Object.entries(scripts)) {
    const where = { logDir: directory, log: () => undefined }
    const running = supervise({ name, command: process.execPath, args: [script], env, ours: true }, where)
    onTestFinished(() => running.stop())
  }
  const { workflow } = new Client({ connection, dataConverter: { payloadCodecs: [createNexusCodec(key)] } })
  const moved = workflow.execute('moveWard', {
    taskQueue: 'wards',
    workflowId: `${tenant.tenantKey}/move`,
    args: [{ from: 'east', to: { Key: 'west', DisplayName: 'West', StructureTypeKey: 'unit' } }],
  })
  expect(await moved).toMatchObject({ jobId: expect.any(String), counts: expect.any(Object) })
  const { body } = await tenant.get<{ Key: string }>('/api/v1/structuralEntity/west')
  expect(body.Key).toBe('west')
})
