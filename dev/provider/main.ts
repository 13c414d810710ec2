// Runs a register of vaccinations as a process. `npm start` uses it as the demo tenant's data provider.
import { createServer } from 'node:http'
import { demoProviderClient } from '../demo-glue.js'
import { maxPeople, nationalIdOf } from '../national-ids.js'
import { portFrom } from '../ports.js'
import { createVaccinationProvider } from './provider.js'
import { strangers, vaccinationsOf } from './vaccinations.js'

const port = portFrom(process.env, 'PROVIDER_PORT', 3100)
const url = `http://127.0.0.1:${port}`
// Benchmarks set how many people the register has, none of them a subject of the demo, and how many doses each.
const { PROVIDER_PEOPLE, PROVIDER_DOSES } = process.env
const rows = PROVIDER_PEOPLE
  ? strangers(Number(PROVIDER_PEOPLE)).flatMap(nationalId => vaccinationsOf(nationalId, Number(PROVIDER_DOSES)))
  : Array.from({ length: maxPeople }, (_, n) => vaccinationsOf(nationalIdOf(n))).flat()
const { listener } = createVaccinationProvider({ url, client: demoProviderClient, rows })
createServer(listener).listen(port, '127.0.0.1', () => console.log(`${rows.length} vaccinations on ${url}`))

// Ends together with the supervisor. There is no data to save, so other signals need no handling.
process.once('disconnect', () => process.exit(0))
