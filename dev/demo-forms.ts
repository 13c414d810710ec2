// The forms of the demo tenant.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Knex } from 'knex'
import { Value } from 'typebox/value'
import { tenantIdOf } from '../db/admin/tenants.js'
import { defaultLaunch, type FormSettings } from '../db/forms/settings.js'
import { formTemplates } from '../db/forms/templates/templates.js'
import { Problem } from '../runtime/problems/problem.js'
import { projectRoot } from '../runtime/process/version.js'
import { readAuthorFile } from '../server/admin/command/author-file.js'
import { Template, type TemplateBody } from '../server/forms/templates/template-schema.js'
import { completedTemplate } from '../server/forms/templates/template-shape.js'

/** Settings for the forms of the tenant `demo`: anybody may open them, and they go to the archive in dev/demo-glue.ts. */
export const demoForms: FormSettings = {
  launch: defaultLaunch,
  delivery: { provider: 'archive', url: 'deliveries', headers: {} },
}

/** Key of the form that the demo opens on its launch page. */
export const demoForm = 'phq-9'

const directory = join(projectRoot, 'examples/forms')

/** Reads the templates in examples/forms, with their pictures. */
export async function exampleForms(): Promise<(TemplateBody & { key: string; version: number })[]> {
  const files = (await readdir(directory)).filter(name => name.endsWith('.yaml')).sort()
  return Promise.all(files.map(name => exampleForm(join(directory, name))))
}

async function exampleForm(path: string): Promise<TemplateBody & { key: string; version: number }> {
  const { json } = await readAuthorFile(path, await readFile(path, 'utf8'), 'demo')
  const body: unknown = JSON.parse(json)
  if (!Value.Check(Template, body) || !body.key || !body.version) throw new Error(`${path} is no template of a form`)
  return { ...body, key: body.key, version: body.version }
}

/** Publishes the examples for a tenant. A form that has changed since it was published is left as published, with a message. */
export async function applyDemoForms(db: Knex, tenantKey: string): Promise<void> {
  const templates = formTemplates(db, await tenantIdOf(db, tenantKey))
  for (const body of await exampleForms()) {
    const template = completedTemplate(body.key, body.version, body)
    try {
      await templates.put(template, body.status ?? 'Development', 'npm start')
    } catch (error) {
      if (!(error instanceof Problem && error.status === 409)) throw error
      console.log(
        `Form ${body.key} ${body.version} of examples/forms stays as it was published before: ${error.message}`,
      )
    }
  }
}
