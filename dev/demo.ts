// `npm run demo`: tours all parts of the platform through the public API, as any client would. Every run ends with the same
// data, so it can be repeated.
import { startedHere } from '../runtime/settings/started-here.js'
import { connect, DemoError, explained } from './demo/client.js'
import { changeData } from './demo/data-change.js'
import { refreshDataSet } from './demo/data-set.js'
import { extractAnswers } from './demo/extracts.js'
import { frenchPlaces } from './demo/french-places.js'
import { importPeople } from './demo/import-people.js'
import { writeBesideSlowProvider } from './demo/neighbour.js'
import { importPlaces } from './demo/places.js'
import { pace } from './demo/progress.js'
import { openRegister } from './demo/register.js'
import { searchSubjects } from './demo/search.js'
import { sendSinglePass } from './demo/single-pass.js'
import { transferSubjects } from './demo/transfer.js'
import { killWorker } from './demo/worker.js'
import { syncWoundChart } from './demo/wound-chart.js'

const here = startedHere(process.env)
const baseUrl = process.env.ARMATURE_URL ?? here.url
const registerUrl = here.providerUrl
const integration = { id: 'demo-integration', secret: 'demo-integration-secret', tenantKey: 'demo' }
/** A client of another tenant. */
const otherIntegration = { id: 'other-integration', secret: 'other-integration-secret', tenantKey: 'other' }
/** Credentials with which the register calls the platform. */
const provider = { id: 'demo-provider', secret: 'demo-provider-secret', tenantKey: 'demo' }

async function demo(): Promise<void> {
  if (!URL.canParse(baseUrl))
    throw new DemoError(`${baseUrl} is no address.`, [], 'Set ARMATURE_URL to one, such as http://127.0.0.1:3000')
  const start = performance.now()
  const client = connect(baseUrl, integration, 'FrameApi')
  const places = frenchPlaces()
  heading('1. Places')
  await importPlaces(client, places)
  heading('2. Subjects')
  await importPeople(client, places, killWorker)
  heading('3. Transfer')
  await transferSubjects(client, tokenCommand())
  heading('4. Search')
  await searchSubjects(client)
  const register = openRegister(registerUrl)
  heading('5. Data set')
  await refreshDataSet(client, register)
  heading('6. A slow provider of a neighbour')
  await writeBesideSlowProvider(client, connect(baseUrl, otherIntegration, 'FrameApi'), register)
  heading('7. Data change')
  await changeData(client, connect(baseUrl, provider, 'FrameGlueDataProviderApi'), register)
  heading('8. Forms that are sent')
  await sendSinglePass(client, register, integration.tenantKey)
  heading('9. A form that is kept')
  const forms = connect(baseUrl, integration, 'FormsApi')
  await syncWoundChart(forms, client)
  heading('10. Extracts')
  await extractAnswers(forms, client, killWorker)
  console.log(`\nThat was all, in ${pace(1, start).seconds}. Run it again: nothing is created twice.`)
}

function heading(text: string): void {
  console.log(`\n${text}\n${'─'.repeat(text.length)}`)
}

/** Returns a shell command that prints a token, for people to paste. */
function tokenCommand(): string {
  const { id, secret } = integration
  const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, scope: 'FrameApi' }
  const data = Object.entries(form)
    .map(([name, value]) => `-d ${name}=${value}`)
    .join(' ')
  const url = new URL('/identity/connect/token', baseUrl)
  return `curl -sS ${url} ${data} | node -pe 'JSON.parse(require("fs").readFileSync(0)).access_token'`
}

try {
  await demo()
} catch (thrown) {
  const error = explained(thrown)
  if (!(error instanceof DemoError)) throw error
  console.error(`\n${[error.message, ...error.details.map(line => `  ${line}`), `→ ${error.nextStep}`].join('\n')}`)
  process.exitCode = 1
}
