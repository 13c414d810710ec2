// Body of a request to a glue endpoint.
import type { Context } from 'koa'
import type { GlueEndpoint } from '../../db/glue/endpoints/settings.js'
import { parseLosslessJson } from '../../runtime/exact-json.js'
import { badRequest } from '../../runtime/problem.js'
import { parseJson, readJsonText, requireJson, tooLarge } from '../middleware/body.js'
import { requireForm } from '../middleware/form-fields.js'
import { readParts } from '../middleware/multipart-parts.js'

const maxFormBytes = 1024 * 1024
const maxFormParts = 1000
/** Most numbers of a JSON body that no double holds: strangers send it. */
const mostExact = 20_000

/** The texts of a form, in their order. */
interface Form {
  texts: [name: string, text: string][]
  hasFile: boolean
}

/** The body of an endpoint's request, read when it is asked for, and once. */
export interface RequestBody {
  /** The texts of a form by their names; undefined where the request carries none. @throws Problem 400, 413 or 415. */
  formTexts(): Promise<readonly (readonly [name: string, text: string])[] | undefined>
  /**
   * The value of `request.body` in the pipeline; undefined without a body. JSON is parsed, with all digits of its
   * numbers. A form becomes an object of texts, with lists for repeated names. Token authentication omits token
   * fields: an unvalidated one must not look valid.
   * @throws Problem 400, 413 or 415.
   */
  value(endpoint: GlueEndpoint): Promise<unknown>
}

/** Names of the fields in which a form can carry a token, in the order they count (in any letter case). */
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
      if (hasFile) throw badRequest('file-in-form', 'The form carries a file; endpoints take texts.')
      const isToken = ([name]: [string, string]) => tokenFields.some(field => field === name.toLowerCase())
      const hidesToken = endpoint.authentication.some(({ openIdConnect }) => openIdConnect)
      return grouped(hidesToken ? texts.filter(text => !isToken(text)) : texts)
    },
  }
}

async function json(ctx: Context): Promise<unknown> {
  requireJson(ctx)
  const text = await readJsonText(ctx, '1mb')
  return text === '' ? undefined : parseJson(text, exact => parseLosslessJson(exact, mostExact))
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

function grouped(texts: Form['texts']): Record<string, string | string[]> {
  const all = new Map<string, string | string[]>()
  for (const [name, text] of texts) {
    const before = all.get(name)
    all.set(name, before === undefined ? text : [before, text].flat())
  }
  return Object.fromEntries(all)
}
