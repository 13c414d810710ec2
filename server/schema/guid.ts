// Schemas of guids and ids.
import Type from 'typebox'

/**
 * Returns the schema of a guid, in any letter case. Handlers get it in lower case, as ids are issued. Anything else is
 * refused with 400.
 */
export const guid = (options: Type.TStringOptions = {}) => Type.String({ format: 'uuid', lowerCase: true, ...options })
export const Guid = guid()

/**
 * The schema of an id of something that the specification does not describe. Text that is no guid is accepted and finds
 * nothing, which gives 404.
 */
export const Id = Type.String({ lowerCase: true, publish: { format: 'uuid' } })
