// Lists the scopes of clients.

/** All scopes that can be granted to a client. */
export const scopes = ['FrameApi', 'FormsApi', 'GlueRuntimeApi', 'FrameGlueDataProviderApi', 'PlatformAdmin'] as const

export type Scope = (typeof scopes)[number]

const known: ReadonlySet<string> = new Set(scopes)

/** Tells whether a scope of this name exists. */
export const isScope = (name: string): name is Scope => known.has(name)
