// Names who acts: a client, or a person who has signed in.

/** The client id of the console's tokens, which belong to people. Every installation has it. */
export const consoleClient = 'armature-console'

/** The client id of the Temporal UI, if people of the platform sign in to it with us. */
export const temporalUiClient = 'armature-temporal-ui'

/** The client id of the identity service's own pages, which get no tokens. */
export const pagesClient = 'armature-pages'

/** Clients whose tokens belong to people. */
const ofPeople: ReadonlySet<string> = new Set([consoleClient, temporalUiClient])

/** What the actor begins with where a person acts. */
const personPrefix = 'account:'

/** Returns the actor of a person. @param id of the account. */
export const personActor = (id: string): string => personPrefix + id

/** Returns the id of the account, if a person acts. */
export const accountIdOf = (actor: string): string | undefined =>
  actor.startsWith(personPrefix) ? actor.slice(personPrefix.length) : undefined

/** Returns who acts with a token: the id of its client, or `account:<id>` for a person who has signed in to the console or the Temporal UI. */
export const actorOf = ({ clientId, subject }: { clientId: string; subject: string | undefined }): string =>
  ofPeople.has(clientId) ? personActor(subject ?? '') : clientId

/** Returns the client of an actor, and the person for whom it acts, if there is one. */
export function partsOfActor(actor: string): { client: string; person?: string } {
  const person = accountIdOf(actor)
  return person === undefined ? { client: actor } : { client: consoleClient, person }
}

/** Tells whether no tenant's client may have an id, because people act under it. */
export const isReserved = (clientId: string): boolean =>
  ofPeople.has(clientId) || clientId === pagesClient || clientId.startsWith(personPrefix)
