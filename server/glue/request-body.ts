// Reads the bodies of requests to glue endpoints.
import type { Context } from 'koa'
import type { GlueEndpoint } from '../../db/glue/endpoints/settings.js'
import { parseLosslessJson } from '../../runtime/json/exact-json.js'
import { badRequest } from '../../runtime/problems/problem.js'
import { parseJson, readJsonText, requireJson, tooLarge } from '../middleware/body.js'
import { requireForm } from '../middleware/form-fields.js'
import { readParts } from '../middleware/multipart-parts.js'

const maxFormBytes = 1024 * 1024
const maxFormParts = 1000
/**
 * How many numbers of a JSON body may need more digits than a double holds. The limit guards against strangers, since
 * such numbers are costly to parse.
 */
const maxExact = 20_000

/** The text fields of a form, in their order. */
interface Form {
  texts: [name: string, text: string][]
  hasFile: boolean
}

/** The body of a request to an endpoint. It is read on first use, and only once. */
export interface RequestBody {
  /**
   * Returns a form's text fields with their names, or undefined if the request has no form.
   * @throws Problem 400, 413 or 415.
   */
  formTexts(): Promise<readonly (readonly [name: string, text: string])[] | undefined>
  /**
   * Returns the value of `request.body` in the pipeline, or undefined without a body. JSON is parsed without losing
   * digits. A form becomes an object of texts, with lists for repeated names. If the endpoint authenticates users by
   * token, the fields that carry one are left out, so that a token that nobody validated cannot pass for a valid one.
   * @throws Problem 400, 413 or 415.
   */
  value(endpoint: GlueEndpoint): Promise<unknown>
}

/** Names of the form fields that may carry a token, in order of precedence and in any letter case. */
export const tokenFields = ['jwt', 'token'] as const

export function requestBody(ctx: Context): RequestBody {
  let reading: Promise<Form> | undefined
  const isForm = Boolean(ctx.is('urlencoded', 'multipart/form-data'))
  const form = () => {
    reading ??= readForm(ctx)
    return reading
  }
  return {
    formTexts: async () => (isForm ? (await form()).texts : undefined),
    async value(endpoint) {
      if (!isForm) return json(ctx)
      const { texts, hasFile } = await form()
      if (hasFile) throw badRequest('file-in-form', 'The form contains a file; endpoints accept text fields only.')
      const isToken = ([name]: [string, string]) => tokenFields.some(field => field === name.toLowerCase())
      const hidesToken = endpoint.authentication.some(({ openIdConnect }) => openIdConnect)
      return groupByName(hidesToken ? texts.filter(text => !isToken(text)) : texts)
    },
  }
}

async function json(ctx: Context): Promise<unknown> {
  requireJson(ctx)
  const text = await readJsonText(ctx, '1mb')
  return text === '' ? undefined : parseJson(text, exact => parseLosslessJson(exact, maxExact))
}

async function readForm(ctx: Context): Promise<Form> {
  requireForm(ctx)
  const form: Form = { texts: [], hasFile: false }
  await readParts(ctx.req, {
    isFile: (_, fileName) => fileName !== undefined,
    limits: { fieldSize: maxFormBytes, parts: maxFormParts },
    maxBytes: maxFormBytes,
    tooLarge: tooLarge('1 MB'),
    isPlain: true,
    turn: ctx.state.turn,
    onText: (name, text) => form.texts.push([name, text]),
    async onFile() {
      form.hasFile = true
    },
  })
  return form
}

function groupByName(texts: Form['texts']): Record<string, string | string[]> {
  const all = new Map<string, string | string[]>()
  for (const [name, text] of texts) {
    const before = all.get(name)
    all.set(name, before === undefined ? text : [before, text].flat())
  }
  return Object.fromEntries(all)
}
