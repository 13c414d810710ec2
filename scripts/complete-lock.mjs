// Adds the optional packages for other platforms to package-lock.json when npm left them out, and the checksums that are
// missing. Without the packages, `npm ci` of npm 11 rejects the file ("Missing: … from lock file"). Run it after `npm
// install <package>`: `node scripts/complete-lock.mjs`
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
const added = []
for (const [path, { optionalDependencies = {}, dev }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const place = `node_modules/${name}`
    if (lock.packages[place] || lock.packages[`${path}/${place}`]) continue
    lock.packages[place] = { version, ...platform(name), ...(dev ? { dev } : {}), optional: true }
    added.push(name)
  }
}
for (const [path, locked] of Object.entries(lock.packages)) {
  if (path === '' || locked.integrity) continue
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const { version, ...more } = locked
  lock.packages[path] = { version, integrity: checksum(`${name}@${version}`), ...more }
  added.push(`the checksum of ${name}`)
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')))
if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(added.length > 0 ? `Added: ${added.join(', ')}` : 'Nothing is missing.')

/** Asks the registry. */
function checksum(spec) {
  const integrity = execFileSync('npm', ['view', spec, 'dist.integrity'], { encoding: 'utf8' }).trim()
  if (!integrity.startsWith('sha512-')) throw new Error(`The registry has no checksum of ${spec}`)
  return integrity
}

/**
 * Derives the platform from a package name such as @swc/core-linux-arm64-musl. npm skips the package on every other
 * platform.
 */
function platform(name) {
  const os = /\b(linux|darwin|win32|android|freebsd|openbsd|netbsd|openharmony|aix|sunos)\b/.exec(name)?.[1]
  const cpu = /-(x64|arm64|arm|ia32|ppc64|s390x|riscv64|loong64)\b/.exec(name)?.[1]
  if (!os || !cpu) throw new Error(`${name} names no platform: add it to package-lock.json by hand`)
  return { cpu: [cpu], os: [os], ...(os === 'linux' ? { libc: [name.includes('musl') ? 'musl' : 'glibc'] } : {}) }
}
