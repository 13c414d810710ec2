// Looks at the memory of running processes.
import { readdirSync, readFileSync } from 'node:fs'

/** Returns a process and all that descend from it. */
export function familyOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      const parent = /^PPid:\s+(\d+)/m.exec(statusOf(name))?.[1]
      return parent === undefined ? [] : [[Number(name), Number(parent)] as const]
    })
  const childrenOf = (of: number): number[] =>
    parents.flatMap(([child, parent]) => (parent === of ? [child, ...childrenOf(child)] : []))
  return [pid, ...childrenOf(pid)]
}

/** Returns the most memory that a process has had at once, in bytes (VmHWM); 0 if it has ended. */
export const peakOf = (pid: number): number => Number(/^VmHWM:\s+(\d+)/m.exec(statusOf(String(pid)))?.[1] ?? 0) * 1024

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    // It has ended.
    return ''
  }
}
