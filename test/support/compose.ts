// Reads docker-compose.yml.
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

interface Service {
  image?: string
  build?: string
  command?: string[]
  environment?: Record<string, string>
  ports?: string[]
  profiles?: string[]
  volumes?: string[]
  restart?: string
  healthcheck?: { test?: string[]; disable?: boolean }
  depends_on?: Record<string, { condition: string }>
}

/** The text of docker-compose.yml. */
export const composeText = readFileSync('docker-compose.yml', 'utf8')
export const { services }: { services: Record<string, Service> } = parse(composeText)

/** Interpolates variables as Compose does. A default may itself contain `${NAME:-default}`. */
export function interpolated(values: Record<string, string>, given: Record<string, string>): Record<string, string> {
  const resolve = (value: string): string => {
    const next = value.replace(
      /\$\{(\w+):[-?]([^${}]*)\}/g,
      (_, name: string, otherwise: string) => given[name] ?? otherwise,
    )
    return next === value ? value : resolve(next)
  }
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, resolve(value)]))
}
