/** Every scope a client can be given. */
export const scopes = ['FrameApi', 'FormsApi', 'GlueRuntimeApi', 'FrameGlueDataProviderApi', 'PlatformAdmin'] as const

export type Scope = (typeof scopes)[number]

const known: ReadonlySet<string> = new Set(scopes)

/** True for the name of a scope that exists. */
export const isScope = (name: string): name is Scope => known.has(name)
