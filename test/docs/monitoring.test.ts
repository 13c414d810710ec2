// The dashboard, the alert rules and the runbook, beside the metrics that the processes publish.
import { readFileSync } from 'node:fs'
import { expect, inject, test } from 'vitest'
import { parse } from 'yaml'
import { glueTenant } from '../support/factories.js'
import { send } from '../support/http.js'
import { until } from '../support/until.js'

interface Alert {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; runbook_url: string }
}
const rules = parse(readFileSync('deploy/prometheus/alerts.yaml', 'utf8')) as { groups: { rules: Alert[] }[] }
const alerts = rules.groups.flatMap(group => group.rules)
const dashboard = JSON.parse(readFileSync('deploy/grafana/armature.json', 'utf8')) as {
  panels: { title: string; targets?: { expr: string }[]; gridPos: { x: number; y: number; w: number; h: number } }[]
}
const chart = parse(readFileSync('deploy/helm/armature/values.yaml', 'utf8')) as {
  workers: Record<string, { autoscaling: { query: string } }>
}
const runbook = readFileSync('docs/runbook.md', 'utf8')

const expressions = [
  ...alerts.map(({ alert, expr }) => ({ of: alert, expr })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ of: title, expr }))),
  ...Object.entries(chart.workers).map(([name, { autoscaling }]) => ({
    of: `chart, ${name}`,
    expr: autoscaling.query,
  })),
]
const metricsIn = (expr: string) => [...new Set(expr.match(/\b(?:armature|temporal)_\w+/g))]

/** Names that Prometheus would know, of histograms with their suffixes, and all label names of each. */
async function published(): Promise<Map<string, string>> {
  const pages = [
    [inject('metricsUrl'), '/metrics'],
    [inject('metricsUrl'), '/metrics/platform'],
    [inject('workerUrl'), '/metrics'],
  ] as const
  const names = new Map<string, string>()
  for (const [url, path] of pages) {
    const { text } = await send(url, path)
    for (const [, name = '', type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
      const suffixes = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
      for (const suffix of suffixes) names.set(name + suffix, '')
    }
    for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} /gm)) {
      names.set(name, `${names.get(name) ?? ''},${labels}`)
    }
  }
  return names
}

test('every metric of the dashboard, of the alerts and of the chart is published, with the labels that are asked for', async () => {
  // Of failures the SDK tells only once there was one. A call that is not repeated is an activity of its own.
  const tenant = await glueTenant({
    endpoints: [{ key: 'fails', steps: [{ name: 'no', httpRequest: { method: 'POST', url: 'http://127.0.0.1:1/' } }] }],
  })
  expect((await tenant.call('fails')).status).toBeGreaterThanOrEqual(500)
  const failures = ['temporal_workflow_failed_total', 'temporal_activity_execution_failed_total']
  const told = async () => {
    const all = await published()
    return failures.every(name => all.has(name)) && all
  }
  const known = await until('the SDK tells of a failed run', told, 20_000)
  expect(expressions.length).toBeGreaterThan(30)
  const unknown = expressions.flatMap(({ of, expr }) =>
    metricsIn(expr).flatMap(name => (known.has(name) ? [] : [`${of}: ${name}`])),
  )
  expect(unknown).toEqual([])
  const own = ['le', 'instance']
  for (const { of, expr } of expressions) {
    const asked = [...expr.matchAll(/by \(([\w, ]+)\)|(\w+)=~?"/g)].flatMap(([, by, one]) =>
      one ? [one] : (by ?? '').split(/, ?/),
    )
    const labels = metricsIn(expr)
      .map(name => known.get(name) ?? '')
      .join()
    for (const label of asked.filter(each => !own.includes(each))) {
      if (labels) expect(labels, `${of}: ${label}`).toContain(`${label}="`)
    }
  }
})

test('each alert links to its paragraph of the runbook, and the runbook has no other', () => {
  const paragraphs = runbook.split(/^## /m).slice(1)
  for (const paragraph of paragraphs) {
    expect(paragraph.match(/^\*\*\w+\.\*\*/gm), paragraph).toEqual(['**Meaning.**', '**Look.**', '**Do.**'])
  }
  expect(paragraphs.map(paragraph => paragraph.split('\n')[0])).toEqual(alerts.map(({ alert }) => alert))
  for (const { alert, annotations, labels } of alerts) {
    expect(annotations.runbook_url).toBe(`{{ $externalLabels.armature_url }}/docs/runbook.md#${alert.toLowerCase()}`)
    expect(['critical', 'warning']).toContain(labels.severity)
  }
})

test('the API serves the runbook at the address that alerts have', async () => {
  const answer = await fetch(`${inject('baseUrl')}/docs/runbook.md`)
  expect([answer.status, await answer.text()]).toEqual([200, runbook])
})

test('each alert is tested where it fires, and where it does not', () => {
  const { tests } = parse(readFileSync('deploy/prometheus/alerts.test.yaml', 'utf8')) as {
    tests: { alert_rule_test?: { alertname: string; exp_alerts?: object[] }[] }[]
  }
  const all = tests.flatMap(each => each.alert_rule_test ?? [])
  const tested = (fires: boolean) =>
    [...new Set(all.filter(each => Boolean(each.exp_alerts) === fires).map(each => each.alertname))].sort()
  const names = alerts.map(({ alert }) => alert).sort()
  expect([tested(true), tested(false)]).toEqual([names, names])
})

test('panels of the dashboard do not overlap', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)},${y + Math.floor(n / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
})

test('the counters of rare events begin at 0, so that the first event is an increase', async () => {
  const { text } = await send(inject('workerUrl'), '/metrics')
  for (const series of [
    'armature_poison_jobs_total',
    'armature_parked_runs_total{workflow_type="dataSetRefresh"}',
    'armature_job_ends_total{kind="formExport",outcome="Failed"}',
  ])
    expect(text).toContain(`${series} `)
})
