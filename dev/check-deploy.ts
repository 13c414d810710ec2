// `npm run check:deploy`: checks the chart with helm and kubeconform, and the alert rules and their tests with promtool.
// Checks whose program cannot be obtained on this machine are skipped and named at the end.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { parseAllDocuments } from 'yaml'
import { projectRoot } from '../runtime/process/version.js'
import { customModels, goProgram, kubernetesSchemas, kubernetesVersions, promtool } from './deploy-tools.js'

const chart = 'deploy/helm/armature'
const secret = { existingSecret: 'armature' }
const required = { PUBLIC_URL: 'https://armature.example', TEMPORAL_ADDRESS: 'temporal.example:7233' }

/** Sets of values that the chart is checked with: the required ones alone, everything switched on, and a single worker. */
const valueSets: Record<string, object> = {
  min: { ...secret, config: required },
  all: {
    ...secret,
    config: {
      ...required,
      CORS_ORIGINS: 'https://app.example',
      RECORD_MAX_MB: 50,
      TEMPORAL_TLS: true,
      TEMPORAL_UI_URL: 'https://temporal.example',
    },
    temporalUi: { enabled: true, env: { TEMPORAL_UI_PORT: '8080' } },
    imagePullSecrets: [{ name: 'registry' }],
    extraVolumes: [{ name: 'ca', secret: { secretName: 'ca' } }],
    extraVolumeMounts: [{ name: 'ca', mountPath: '/etc/armature', readOnly: true }],
    nodeSelector: { pool: 'apps' },
    tolerations: [{ key: 'apps', operator: 'Exists' }],
    podAnnotations: { team: 'platform' },
    api: { replicas: 5, service: { annotations: { a: 'b' } } },
    keda: { enabled: true },
    podMonitor: { enabled: true, labels: { release: 'prometheus' } },
    networkPolicy: {
      apiFrom: [{ ipBlock: { cidr: '10.0.0.0/8' } }],
      metricsFrom: [],
    },
  },
  'one worker': {
    ...secret,
    config: required,
    workers: { background: { queues: 'background,calls' }, calls: null },
    networkPolicy: { enabled: false },
  },
}

const skipped: string[] = []
let failures = 0

/** Runs a program. @returns its output, or undefined if it failed, which is printed and counted. */
async function output(what: string, program: string, args: string[]): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd: projectRoot, maxBuffer: 64 * 1024 * 1024 })
    console.log(`${what}: passed`)
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' }: { stdout?: string; stderr?: string } = Object(error)
    console.log(`${what}: FAILED\n${stdout}${stderr}`)
    failures++
    return undefined
  }
}

async function checkChart(scratch: string): Promise<void> {
  const helm = await goProgram('helm', console.log)
  if (!helm) return void skipped.push('the chart')
  const kubeconform = await goProgram('kubeconform', console.log)
  const schemas = kubeconform && (await kubernetesSchemas(console.log))
  if (!schemas) skipped.push('kubeconform')
  const models = await customModels(console.log)
  if (!models) skipped.push('the objects of KEDA and of the Prometheus Operator')
  for (const [name, values] of Object.entries(valueSets)) {
    const valuesFile = join(scratch, 'values.json')
    writeFileSync(valuesFile, JSON.stringify(values))
    for (const version of kubernetesVersions) {
      const about = `${name}, Kubernetes ${version}`
      const given = ['--kube-version', version, '--values', valuesFile]
      await output(`helm lint (${about})`, helm, ['lint', '--strict', chart, ...given])
      const rendered = await output(`helm template (${about})`, helm, ['template', 'armature', chart, ...given])
      if (rendered === undefined) continue
      const file = join(scratch, 'rendered.yaml')
      writeFileSync(file, rendered)
      const location = `${schemas}/${version}/{{.ResourceKind}}{{.KindSuffix}}.json`
      const custom = ['-skip', 'ScaledObject,PodMonitor']
      const how = ['-strict', '-kubernetes-version', version, '-schema-location', location, ...custom]
      if (kubeconform && schemas) await output(`kubeconform (${about})`, kubeconform, [...how, file])
      if (models) await checkCustom(about, rendered, models)
    }
  }
  await refusesWithout(helm)
}

interface Model {
  new (data: object): { validate(): void }
}

/** Validates objects of kinds that Kubernetes itself does not know, with models generated from their definitions. */
async function checkCustom(about: string, rendered: string, models: string): Promise<void> {
  const paths = {
    ScaledObject: 'keda/keda.sh/v1alpha1/ScaledObject.js',
    PodMonitor: 'prometheus-operator/monitoring.coreos.com/v1/PodMonitor.js',
  }
  for (const document of parseAllDocuments(rendered)) {
    const { kind, ...data } = Object(document.toJS())
    const path = Object.entries(paths).find(([name]) => name === kind)?.[1]
    if (!path) continue
    const file = join(models, 'node_modules', '@kubernetes-models', path)
    const loaded: Record<string, Model> = await import(pathToFileURL(file).href)
    try {
      const Kind = loaded[kind]
      if (!Kind) throw new Error(`${file} has no ${kind}`)
      new Kind(data).validate()
      console.log(`${kind} ${data.metadata.name} (${about}): passed`)
    } catch (error) {
      console.log(`${kind} ${data.metadata.name} (${about}): FAILED\n${error instanceof Error ? error.message : error}`)
      failures++
    }
  }
}

/** Checks that the chart refuses to render without the values that only the operator knows: the secret and the addresses, also that of the UI. */
async function refusesWithout(helm: string): Promise<void> {
  const refusalOf = (...values: string[]): Promise<string> =>
    promisify(execFile)(helm, ['template', 'armature', chart, ...values], { cwd: projectRoot }).then(
      () => '',
      (error: { stderr: string }) => error.stderr,
    )
  const known = [
    'existingSecret=armature',
    ...Object.entries(required).map(([name, value]) => `config.${name}=${value}`),
  ]
  const withUi = [...known, 'temporalUi.enabled=true'].flatMap(value => ['--set', value])
  const version = ['--kube-version', kubernetesVersions[0]]
  const refused = [await refusalOf(), await refusalOf(...version, ...withUi)]
  const isRight =
    ['existingSecret', 'PUBLIC_URL'].every(name => refused[0]?.includes(name)) &&
    refused[1]?.includes('TEMPORAL_UI_URL')
  if (!isRight) failures++
  console.log(`helm template without values: ${isRight ? 'refused, as it should be' : `FAILED\n${refused.join('\n')}`}`)
}

async function checkRules(): Promise<void> {
  const program = await promtool(console.log)
  if (!program) return void skipped.push('the alert rules')
  await output('promtool check rules', program, ['check', 'rules', '--lint-fatal', 'deploy/prometheus/alerts.yaml'])
  await output('promtool test rules', program, ['test', 'rules', 'deploy/prometheus/alerts.test.yaml'])
}

const scratch = mkdtempSync(join(tmpdir(), 'armature-check-deploy-'))
try {
  await checkChart(scratch)
  await checkRules()
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
if (skipped.length > 0) console.log(`Skipped on this machine: ${skipped.join('; ')}.`)
process.exitCode = failures > 0 ? 1 : 0
