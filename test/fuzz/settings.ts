// Settings of schemathesis: what it sends, and what it compares answers with.
import type { FurnishedTenant } from '../support/furnished-tenant.js'
import { kindOf } from '../support/id-kinds.js'
import type { Operation } from '../support/operations.js'

/** How often an id is one that the tenant has. */
const known = 0.7

/** Left out: keys of the installation, of which there would be thousands, and without which the token is none. */
const leftOut = ['rotateSigningKeys']

/**
 * Writes the settings for a tenant, as TOML. Its ids are known to schemathesis, its token has every scope and permission, and no request
 * names another tenant.
 */
export function settingsOf(tenant: FurnishedTenant, operations: readonly Operation[], seed: number): string {
  const { ids, all, platform } = tenant
  // A text of JSON is one of TOML.
  const text = JSON.stringify
  const names = new Map<string, string>()
  for (const { operationId, parameters } of operations) {
    for (const { name, in: place } of parameters) {
      const kind = place === 'header' ? undefined : kindOf(operationId, [name], place === 'path')
      if (kind && kind !== 'tenant') names.set(`${place}.${name}`, kind)
    }
  }
  const only = (...names: string[]) =>
    names.map(name => `[[operations]]\ninclude-operation-id = ${text(name)}\nenabled = false\n`).join('')
  return `
seed = ${seed}
continue-on-failure = true
max-redirects = 0
request-timeout = 90
workers = 2
suppress-health-check = ["all"]
warnings = false
cache.enabled = false
# Requests are printed as they were sent: nothing here is secret outside of this run.
output.sanitization.enabled = false

[headers]
Authorization = ${text(`Bearer ${all.token}`)}

[generation]
max-examples = 60
database = "none"
no-shrink = true
dictionaries.string = { dictionary = "ids", probability = 0.2 }

[phases.stateful]
max-steps = 8

[checks]
enabled = false
not_a_server_error = { enabled = true, expected-statuses = ["2xx", "3xx", "4xx", 503] }
status_code_conformance.enabled = true
content_type_conformance.enabled = true
response_headers_conformance.enabled = true
response_schema_conformance.enabled = true

[dictionaries]
ids.values = ${text(Object.values(ids))}
${Object.entries(ids)
  .map(([kind, id]) => `${kind}.values = ${text([id])}`)
  .join('\n')}

[parameters]
"path.tenantKey" = ${text(ids.tenant)}
${[...names].map(([name, kind]) => `${text(name)} = { dictionary = ${text(kind)}, probability = ${known} }`).join('\n')}

# Another manifest would take the token away.
[[operations]]
include-operation-id = "putTenant"
headers.Authorization = ${text(`Bearer ${platform.token}`)}
parameters = { "path.tenantKey" = ${text(`${ids.tenant}-other`)} }

# The description names JSON, and the steps of a tenant may choose another content type.
[[operations]]
include-path-regex = "^/glue/"
checks.content_type_conformance.enabled = false

[[operations]]
include-path-regex = "^/admin/"
headers.Authorization = ${text(`Bearer ${platform.token}`)}

${only(...leftOut)}`
}
