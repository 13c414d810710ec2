// Adds the optional packages for other platforms to package-lock.json when a registry did not provide them. Without
// them, `npm ci` of npm 11 rejects the file ("Missing: … from lock file"). Run it after `npm install <package>`: `node
// scripts/complete-lock.mjs`
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
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')))
if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(added.length > 0 ? `Added: ${added.join(', ')}` : 'Nothing is missing.')

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
