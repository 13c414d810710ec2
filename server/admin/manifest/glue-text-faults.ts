// Validation of the Liquid templates and JSONata expressions in a manifest's glue.
import type { GlueSettings } from '../../../db/glue/endpoints/settings.js'
import { expressionFault } from '../../../runtime/expressions.js'
import type { FaultCode } from '../../../runtime/fault-codes.js'
import type { Fault } from '../../../runtime/problem.js'
import { templateFault } from '../../../runtime/templates.js'
import { expressionReads, type Read, templateReads } from './glue-names.js'
import type { GlueText } from './glue-texts.js'

const requestMembers = ['method', 'query', 'body', 'userToken']

/** Templates and expressions that cannot be read, or that say what is not there or is not for everybody. */
export const textFaults = (texts: readonly GlueText[], glue: GlueSettings): Fault[] =>
  texts.flatMap(text => {
    const [faultOf, readsOf] =
      text.kind === 'template'
        ? ([templateFault, templateReads] as const)
        : ([expressionFault, expressionReads] as const)
    const unreadable = faultOf(text.text)
    if (unreadable) return [faultAt(text, unreadable, `invalid-${text.kind}`, `${unreadable.message}.`)]
    return readsOf(text.text).flatMap(read => nameFaults(read, text, glue))
  })

function nameFaults(read: Read, text: GlueText, { variables, secrets }: GlueSettings): Fault[] {
  const [root, name] = read.path
  const fault = (code: FaultCode, detail: string) => [faultAt(text, read, code, detail)]
  if (root === undefined) return []
  if (root === 'variables') {
    // A secret must not come by a name of the caller's choice. Expressions are given none.
    if (name === undefined)
      return text.kind === 'template' ? fault('unnamed-variable', 'Say which variable: variables.name.') : []
    if (secrets.includes(name))
      return text.isShown ? fault('secret-shown', `The secret '${name}' would be shown to callers.`) : []
    return Object.hasOwn(variables, name) ? [] : fault('unknown-variable', `There is no variable '${name}'.`)
  }
  if (!text.stepsBefore) return fault('unknown-name', `'${root}' cannot be said here, only variables can.`)
  if (root === 'steps') {
    if (name === undefined || text.stepsBefore.includes(name)) return []
    return fault('unknown-step', `No step before this one is called '${name}'.`)
  }
  if (root !== 'request') return fault('unknown-name', `'${root}' is not known; say request, steps or variables.`)
  if (name === undefined || requestMembers.includes(name)) return []
  return fault('unknown-name', `A request has ${requestMembers.join(', ')}, no '${name}'.`)
}

const faultAt = (
  { pointer }: GlueText,
  { line, column }: { line: number; column: number },
  code: FaultCode,
  detail: string,
): Fault => ({ pointer, code, detail: `Line ${line}, column ${column}: ${detail}` })
