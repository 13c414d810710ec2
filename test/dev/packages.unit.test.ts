// The lock file: checksums of packages, and packages with install scripts.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../runtime/process/version.js'

interface Locked {
  integrity?: string
  resolved?: string
  hasInstallScript?: boolean
}

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8')
const { packages }: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'))
const locked = Object.entries(packages).filter(([path]) => path !== '')

test('each package has the checksum of its archive, and comes from whatever registry npm is set to', () => {
  expect(locked.length).toBeGreaterThan(100)
  expect(locked.filter(([, { integrity }]) => !integrity?.startsWith('sha512-')).map(([path]) => path)).toEqual([])
  expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([])
})

test('no package runs a script when it is installed', () => {
  expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true')
  // None of these is needed: they check a version, report the installation, and look for a binary that is a package here.
  expect(locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([path]) => path)).toEqual([
    'node_modules/@grpc/proto-loader/node_modules/protobufjs',
    'node_modules/@scarf/scarf',
    'node_modules/@swc/core',
  ])
})
