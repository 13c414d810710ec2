// Starts a provider process for the benchmarks.
import { providerProgram } from '../dev/own-processes.js'
import { strangers } from '../dev/provider/vaccinations.js'
import { supervise } from '../dev/supervise.js'
import { asDataPoints, vaccinationTenant } from '../test/support/provider.js'
import type { Stack } from '../test/support/stack.js'

/**
 * Starts a vaccination register with a number of rows in a process of its own, and creates a tenant whose data set
 * `vaccinations` holds all of them. The provider answers with data points, which need no transformation, so that the
 * platform is what is measured.
 */
export async function benchProvider(stack: Stack, rows: number) {
  const doses = Math.min(100, rows)
  const people = strangers(Math.ceil(rows / doses))
  const [port] = stack.providerPorts
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    PROVIDER_PORT: String(port),
    PROVIDER_PEOPLE: String(people.length),
    PROVIDER_DOSES: String(doses),
  }
  const provider = supervise(providerProgram(env), { logDir: stack.dataDir, log: console.log })
  await provider.ready(() => fetch(url))
  const tenant = await vaccinationTenant(
    { url, people },
    {
      baseUrl: stack.baseUrl,
      change: glue => ({
        ...asDataPoints(glue),
        // Includes the vaccinations of all programmes.
        dataExtracts: [{ key: 'vaccinations', source: 'vaccinations', options: { all: true } }],
      }),
    },
  )
  return { url, people, rows: people.length * doses, tenant, stop: () => provider.stop() }
}
