// `npm run client:pack`: creates the package that other people's programs install, with only `armature/client` and
// `armature/nexus`. It packs the output of `npm run build`.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'dist')
const target = join(root, '.data', 'client-package')

/** Lists the public modules of a folder, which are those with type declarations. */
const publishedIn = room =>
  readdirSync(join(dist, room))
    .filter(file => file.endsWith('.d.ts'))
    .flatMap(file => [file, file.replace(/\.d\.ts$/, '.js')])
    .map(file => join(room, file))
    // The types of the API have no code.
    .filter(file => existsSync(join(dist, file)))

/** Adds the modules of other rooms that modules import, and those that these import. */
function withImports(files) {
  const found = new Set(files)
  for (const file of found) {
    if (!file.endsWith('.js')) continue
    const text = readFileSync(join(dist, file), 'utf8')
    for (const [, path] of text.matchAll(/\b(?:from|import) '(\.[^']+)'/g)) found.add(join(dirname(file), path))
  }
  return [...found]
}

/** Lists the third-party packages that modules import. */
function packagesOf(files) {
  const texts = files.map(file => readFileSync(join(dist, file), 'utf8')).join('\n')
  const names = [...texts.matchAll(/\b(?:from|import) '([^.'][^']*)'/g)].map(([, name]) => name)
  return [...new Set(names)].filter(name => !name.startsWith('node:')).sort()
}

function pack() {
  const project = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [client, nexus] = [publishedIn('client'), publishedIn('nexus')].map(withImports)
  rmSync(target, { recursive: true, force: true })
  for (const file of [...client, ...nexus]) {
    mkdirSync(dirname(join(target, file)), { recursive: true })
    cpSync(join(dist, file), join(target, file))
  }
  const { name, version, license, type, engines } = project
  const description = 'Client of the Armature API, and the contract of its Nexus service'
  const exports = JSON.parse(JSON.stringify(project.exports).replaceAll('./dist/', './'))
  const dependencies = Object.fromEntries(packagesOf(client).map(each => [each, project.dependencies[each]]))
  // Optional peers: only an integrator's Nexus worker needs these packages, not programs that just use the client.
  const peers = packagesOf(nexus)
  const peerDependencies = Object.fromEntries(
    peers.map(each => [each, project.dependencies[each].replace(/^(?=\d)/, '^')]),
  )
  const peerDependenciesMeta = Object.fromEntries(peers.map(each => [each, { optional: true }]))
  const manifest = {
    ...{ name, version, description, license, type, engines, exports },
    ...{ dependencies, peerDependencies, peerDependenciesMeta },
  }
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  const npm = spawnSync('npm', ['pack', '--silent', '--pack-destination', dirname(target)], {
    cwd: target,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (npm.status !== 0) throw new Error('npm pack failed: see the errors above')
  return join(dirname(target), npm.stdout.trim())
}

try {
  console.log(pack())
} catch (error) {
  console.error(`There is no package: ${error.message}`)
  process.exitCode = 1
}
