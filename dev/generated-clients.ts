// Generates and builds API clients in several languages, and runs the example session of each.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../runtime/process/version.js'
import { findProgram, run } from './programs.js'

/** A language whose client is generated from the description. */
export interface GeneratedClient {
  /** Programs that are needed to build it. */
  programs: readonly string[]
  /** Generates and builds the client. @param description path of the OpenAPI file. @throws StartProblem with the end of the log. */
  build(description: string): Promise<void>
  /** Runs one of the programs that use this client. @throws StartProblem with the end of its output. */
  runProgram(program: ClientProgram, env: Record<string, string>): Promise<void>
}

/** The session of the README, or the one that reads the answers of a later release. */
type ClientProgram = 'session' | 'later'

type Name = 'typescript' | 'python' | 'java' | 'go'

/** Returns the directory with a client's sources and the pinned versions of its tools. */
const sourcesOf = (name: Name) => join(projectRoot, 'examples', 'clients', name)

/** Prepares the directory in which a client is built. Tools that are installed there are reused by later builds. */
function workshop(name: Name) {
  const directory = join(projectRoot, '.data', 'clients', name)
  mkdirSync(directory, { recursive: true })
  cpSync(sourcesOf(name), directory, { recursive: true })
  const logFile = join(directory, 'build.log')
  return {
    directory,
    run: (command: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
      run(command, args, { logFile, cwd: directory, env: { ...process.env, ...env } }),
    /** Installs tools, unless those of an identical `list` (a lock file or requirements file) are installed already. */
    async install(list: string, work: () => Promise<void>): Promise<void> {
      const stamp = join(directory, '.installed')
      const wanted = createHash('sha256')
        .update(readFileSync(join(directory, list)))
        .digest('hex')
      if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return
      await work()
      writeFileSync(stamp, wanted)
    },
  }
}

const node = process.execPath

/** Path of the script that generates types from a description. */
export const generator = join(sourcesOf('typescript'), 'generate.mjs')

/** Generates the types of a description into the file `to`. */
export async function apiTypes(description: string, to: string): Promise<void> {
  const { run, install } = workshop('typescript')
  await install('package-lock.json', () => run('npm', ['ci', '--no-audit', '--no-fund']))
  await run(node, ['generate.mjs', description, to])
}

const typescript: GeneratedClient = {
  programs: ['npm'],
  async build(description) {
    const { directory, run } = workshop('typescript')
    await apiTypes(description, join(directory, 'api.ts'))
    await run(node, [join('node_modules', 'typescript', 'bin', 'tsc'), '--project', '.'])
  },
  runProgram: (program, env) => workshop('typescript').run(node, [join('dist', `${program}.js`)], env),
}

const python: GeneratedClient = {
  programs: ['python3'],
  async build(description) {
    const { directory, run, install } = workshop('python')
    const bin = join(directory, 'venv', 'bin')
    await install('requirements.txt', async () => {
      await run('python3', ['-m', 'venv', 'venv'])
      await run(join(bin, 'python'), ['-m', 'pip', 'install', '--quiet', '--requirement', 'requirements.txt'])
    })
    const client = ['--output-path', 'armature_client', '--meta', 'none', '--config', 'generator.yaml']
    // The generator calls ruff, which is installed in the same directory.
    const path = `${bin}:${process.env.PATH}`
    await run(
      join(bin, 'openapi-python-client'),
      ['generate', '--path', description, ...client, '--overwrite', '--fail-on-warning'],
      { PATH: path },
    )
    const models = [
      '--input-file-type',
      'openapi',
      '--output',
      'models.py',
      '--output-model-type',
      'pydantic_v2.BaseModel',
    ]
    const style = [
      '--target-python-version',
      '3.11',
      '--formatters',
      'builtin',
      '--use-annotated',
      '--set-default-enum-member',
    ]
    await run(join(bin, 'datamodel-codegen'), ['--input', description, ...models, ...style])
    await run(join(bin, 'mypy'), ['armature_client', 'models.py', 'session.py', 'later.py'])
  },
  runProgram: (program, env) => {
    const { directory, run } = workshop('python')
    return run(join(directory, 'venv', 'bin', 'python'), [`${program}.py`], env)
  },
}

const maven = ['--batch-mode', '--no-transfer-progress', '--quiet']
/** Keeps Java to its fast first compiler: these runs end before optimized code would pay off. */
const mavenEnv = { MAVEN_OPTS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' }

const java: GeneratedClient = {
  programs: ['javac', 'mvn'],
  build: description => workshop('java').run('mvn', [...maven, 'compile', `-Ddescription=${description}`], mavenEnv),
  runProgram: (program, env) => {
    const main = `-Dexec.mainClass=${program === 'session' ? 'Session' : 'Later'}`
    return workshop('java').run('mvn', [...maven, 'exec:java', main], { ...mavenEnv, ...env })
  },
}

const go: GeneratedClient = {
  programs: ['go'],
  async build(description) {
    const { directory, run } = workshop('go')
    mkdirSync(join(directory, 'armature'), { recursive: true })
    await run('go', ['tool', 'oapi-codegen', '-config', 'generator.yaml', description])
    await run('go', ['build', '-o', 'bin/', './session', './later'])
  },
  runProgram: (program, env) => {
    const { directory, run } = workshop('go')
    return run(join(directory, 'bin', program), [], env)
  },
}

export const generatedClients = { typescript, python, java, go }

/** Lists the programs that a client needs and this machine lacks. */
export const missingPrograms = ({ programs }: GeneratedClient): string[] =>
  programs.filter(program => findProgram(program) === undefined)
