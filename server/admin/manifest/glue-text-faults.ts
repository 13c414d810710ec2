// Validates the Liquid templates and JSONata expressions in a manifest's glue.
import { mayNotGo } from '../../../db/glue/endpoints/secret-hosts.js'
import type { GlueSettings } from '../../../db/glue/endpoints/settings.js'
import { expressionFault } from '../../../runtime/expressions/expressions.js'
import { templateFault } from '../../../runtime/expressions/templates.js'
import type { FaultCode } from '../../../runtime/problems/fault-codes.js'
import type { Fault } from '../../../runtime/problems/problem.js'
import type { Read } from './glue-names.js'
import { type GlueText, readsOf } from './glue-texts.js'

const requestMembers = ['method', 'query', 'body', 'userToken', 'user', 'caller']

/** Checks that every text can be parsed, reads only names that exist, and does not show secrets to callers. */
export const textFaults = (texts: readonly GlueText[], glue: GlueSettings): Fault[] =>
  texts.flatMap(text => {
    const unreadable = (text.kind === 'template' ? templateFault : expressionFault)(text.text)
    if (unreadable) return [faultAt(text, unreadable, `invalid-${text.kind}`, `${unreadable.message}.`)]
    return readsOf(text).flatMap(read => nameFaults(read, text, glue))
  })

function nameFaults(read: Read, text: GlueText, { variables, secrets }: GlueSettings): Fault[] {
  const [root, name] = read.path
  const fault = (code: FaultCode, detail: string) => [faultAt(text, read, code, detail)]
  if (root === undefined) return []
  if (root === 'variables') {
    // A secret's name must not be chosen by the caller. Expressions get no secrets.
    if (name === undefined)
      return text.kind === 'template' ? fault('unnamed-variable', 'Name the variable: variables.name.') : []
    const secret = secrets.find(each => each.name === name)
    if (secret && text.isShown) return fault('secret-shown', `The secret '${name}' would be shown to callers.`)
    if (secret && text.isPlain) return fault('secret-shown', `The secret '${name}' cannot be read here.`)
    if (secret && text.sentTo !== undefined && !secret.hosts.includes(text.sentTo))
      return fault('secret-elsewhere', mayNotGo(name, text.sentTo))
    if (secret) return []
    return Object.hasOwn(variables, name) ? [] : fault('unknown-variable', `There is no variable '${name}'.`)
  }
  if (!text.stepsBefore) return fault('unknown-name', `'${root}' is not available here, only variables are.`)
  if (root === 'steps') {
    if (name === undefined || text.stepsBefore.includes(name)) return []
    return fault('unknown-step', `No step before this one is called '${name}'.`)
  }
  if (root !== 'request') return fault('unknown-name', `'${root}' is not known; use request, steps or variables.`)
  if (name === undefined || requestMembers.includes(name)) return []
  return fault('unknown-name', `A request has ${requestMembers.join(', ')}, no '${name}'.`)
}

const faultAt = (
  { pointer }: GlueText,
  { line, column }: { line: number; column: number },
  code: FaultCode,
  detail: string,
): Fault => ({ pointer, code, detail: `Line ${line}, column ${column}: ${detail}` })
