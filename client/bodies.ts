// Bodies of calls: JSON, forms, and files as they are.

/** A body as it is sent. */
export interface Body {
  content: Exclude<RequestInit['body'], undefined>
  /** Makes the content of each attempt anew. */
  renew?: () => ReadableStream
  /** A stream is sent once. */
  isResendable: boolean
}

/** The fields of a form as `multipart/form-data`, for `bodySerializer`: an upload of a document takes them. */
export function multipart(fields: object): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value instanceof Blob ? value : String(value))
  return form
}

/** Texts, bytes, forms and streams are sent as they are, anything else as JSON. */
export function bodyOf(given: unknown): Body {
  if (given === undefined || given === null) return { content: null, isResendable: true }
  // The content of the attempts takes the place of the empty one.
  if (isRenewable(given)) return { content: '', renew: given, isResendable: true }
  if (given instanceof ReadableStream) return { content: given, isResendable: false }
  return { content: isContent(given) ? given : JSON.stringify(given), isResendable: true }
}

const isRenewable = (given: unknown): given is () => ReadableStream => typeof given === 'function'

const isContent = (given: unknown): given is string | Blob | FormData | URLSearchParams | Uint8Array<ArrayBuffer> =>
  typeof given === 'string' || [Blob, FormData, URLSearchParams, Uint8Array].some(kind => given instanceof kind)
