// Schemas of guids and ids.
import Type from 'typebox'

/** A guid in a request, in any letter case; handlers get it in small letters, as ids are issued. A text that is none is 400. */
export const guid = (options: Type.TStringOptions = {}) => Type.String({ format: 'uuid', lowerCase: true, ...options })
export const Guid = guid()

/** The same of a thing that the specification does not describe: a text that is no guid names nothing, which is 404. */
export const Id = Type.String({ lowerCase: true, publish: { format: 'uuid' } })
