// Reads multipart requests of the API, which have text fields and one file.
import type { Readable } from 'node:stream'
import type { Context, Middleware } from 'koa'
import type { TObject } from 'typebox'
import type { FaultCode } from '../../runtime/problems/fault-codes.js'
import { type Fault, invalid, Problem } from '../../runtime/problems/problem.js'
import { checkOf } from '../../runtime/schema/check.js'
import { checkedFile, type FileRules, RefusedFile } from './multipart-file.js'
import { readParts } from './multipart-parts.js'

/** A form (`multipart/form-data`, RFC 7578) with texts and one file, in any order. */
export interface MultipartForm<Fields extends TObject = TObject> {
  fields: Fields
  file: FileRules
}

export interface FormFile {
  /** The file name that the caller sent: without a path, at most 255 characters, possibly empty. */
  name: string
  /** The content as a stream. It throws if the file is refused or the caller disconnects. */
  content: AsyncIterable<Buffer>
}

/**
 * Reads a form to its end. `keep` receives the file as a stream, which slows down the caller if necessary; it has
 * settled when this settles. If the form is refused after the file was kept, whoever called this must remove the file.
 * @throws Problem 400 that names every fault; 415 if the file is of another kind.
 */
export type ReadForm<Fields> = <Kept>(keep: Keep<Kept>) => Promise<{ fields: Fields; kept: Kept }>
type Keep<Kept> = (file: FormFile) => Promise<Kept>

/** Creates middleware that lets the handler read a form. Answers 415 if the request is no form. */
export function receiveMultipart({ fields, file }: MultipartForm): Middleware {
  const check = checkOf(fields)
  const names = new Map(Object.keys(fields.properties).map(name => [name.toLowerCase(), name]))
  return (ctx, next) => {
    requireForm(ctx)
    ctx.state.readForm = async <Kept>(keep: Keep<Kept>) => {
      const { texts, faults, taken } = await collect(ctx, names, file, keep)
      const { value, faults: ofTexts } = check(texts)
      if (taken instanceof RefusedFile) faults.unshift(taken.fault)
      const all = [...faults, ...ofTexts]
      if (taken instanceof RefusedFile && taken.otherKind) {
        throw new Problem('file-type', taken.fault.detail, all)
      }
      if (taken instanceof RefusedFile || all.length > 0) throw invalid(all)
      return { fields: value, kept: taken.kept }
    }
    return next()
  }
}

function requireForm(ctx: Context): void {
  if (ctx.is('multipart/form-data')) return
  const contentType = ctx.get('content-type') || 'a body without content type'
  const detail = `Send a form (content-type: multipart/form-data), not ${contentType}.`
  throw new Problem('content-type', detail)
}

interface Collected<Kept> {
  texts: Record<string, string>
  faults: Fault[]
  taken: { kept: Kept } | RefusedFile
}

/** Collects the parts of a form. Names match in any letter case; unknown parts are skipped. */
async function collect<Kept>(
  ctx: Context,
  names: ReadonlyMap<string, string>,
  rules: FileRules,
  keep: Keep<Kept>,
): Promise<Collected<Kept>> {
  const texts: Record<string, string> = {}
  const faults: Fault[] = []
  let taken: Collected<Kept>['taken'] | undefined
  let files = 0
  const fault = (name: string, code: FaultCode, detail: string) => faults.push({ pointer: `/${name}`, code, detail })

  await readParts(ctx.req, {
    isFile: name => name.toLowerCase() === rules.name.toLowerCase(),
    // Reading continues if the file is too large, so that every fault is named, but only up to a limit.
    maxBytes: 2 * rules.maxBytes,
    onText(given, text) {
      const name = names.get(given.toLowerCase())
      if (name === undefined) return
      if (Object.hasOwn(texts, name)) fault(name, 'duplicate-member', `The member ${name} is given twice.`)
      if (text.includes('\ufffd')) fault(name, 'not-utf-8', 'It is not in UTF-8.')
      texts[name] = text
    },
    async onFile(stream, name) {
      if (files++ > 0) return void fault(rules.name, 'duplicate-member', `The member ${rules.name} is given twice.`)
      taken = await keepChecked(stream, name, rules, keep)
    },
  })
  return { texts, faults, taken: taken ?? RefusedFile.missing(rules) }
}

async function keepChecked<Kept>(stream: Readable, given: string, rules: FileRules, keep: Keep<Kept>) {
  // Control characters and marks that change the direction of text are removed, since names are displayed.
  const name = [...given.replace(/\p{C}/gu, '')].slice(0, 255).join('')
  try {
    return { kept: await keep({ name, content: await checkedFile(stream, rules) }) }
  } catch (error) {
    if (error instanceof RefusedFile) return error
    throw error
  }
}
