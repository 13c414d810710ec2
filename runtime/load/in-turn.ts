// Does things one after the other, each of them whatever becomes of the others.

/** @throws the first error, after all have been done or tried. */
export async function inTurn(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = []
  for (const work of works) await work().catch(error => errors.push(error))
  if (errors.length > 0) throw errors[0]
}
