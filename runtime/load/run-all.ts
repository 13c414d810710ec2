// Runs things one after the other, so that one that fails does not keep the others from running.

/** @throws the first error, after all have run. */
export async function runAll(works: readonly (() => Promise<unknown>)[]): Promise<void> {
  const errors: unknown[] = []
  for (const work of works) await work().catch(error => errors.push(error))
  if (errors.length > 0) throw errors[0]
}
