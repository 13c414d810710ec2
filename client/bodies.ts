// Prepares the bodies of calls: JSON, forms, files and streams.

/** A body that is ready to be sent. */
export interface Body {
  content: Exclude<RequestInit['body'], undefined>
  /** Creates the content of each attempt, for a body that is given as a function. */
  renew?: () => ReadableStream
  /** False for a stream, which can be sent only once. */
  isResendable: boolean
}

/** Builds `multipart/form-data` from the fields of a form. Pass it as `bodySerializer` to upload a document. */
export function multipart(fields: object): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value instanceof Blob ? value : String(value))
  return form
}

/** Prepares a body. Texts, bytes, forms and streams are sent unchanged; anything else is sent as JSON. */
export function bodyOf(given: unknown): Body {
  if (given === undefined || given === null) return { content: null, isResendable: true }
  // Each attempt replaces this empty content by what `renew` returns.
  if (isRenewable(given)) return { content: '', renew: given, isResendable: true }
  if (given instanceof ReadableStream) return { content: given, isResendable: false }
  return { content: isContent(given) ? given : JSON.stringify(given), isResendable: true }
}

const isRenewable = (given: unknown): given is () => ReadableStream => typeof given === 'function'

const isContent = (given: unknown): given is string | Blob | FormData | URLSearchParams | Uint8Array<ArrayBuffer> =>
  typeof given === 'string' || [Blob, FormData, URLSearchParams, Uint8Array].some(kind => given instanceof kind)
