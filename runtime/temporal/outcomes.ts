// Passes the outcomes of runs to callers that wait in the same process.

/** Passes on the outcomes of runs within this process. The run in Temporal remains the authoritative record. */
export interface Outcomes<Outcome> {
  /** Resolves everyone who is waiting for this id. Does nothing if nobody is. */
  publish(id: string, outcome: Outcome): void
  /**
   * Waits for the outcome of an id. Several callers may wait for the same one.
   * @param work receives the promise of the outcome. The wait ends when `work` settles. @returns what `work` returns.
   */
  wait<Result>(id: string, work: (outcome: Promise<Outcome>) => Promise<Result>): Promise<Result>
}

export function createOutcomes<Outcome>(): Outcomes<Outcome> {
  const waiting = new Map<string, Set<(outcome: Outcome) => void>>()
  return {
    publish(id, outcome) {
      for (const resolve of waiting.get(id) ?? []) resolve(outcome)
    },
    async wait(id, work) {
      const all = waiting.get(id) ?? new Set()
      let heard = (_: Outcome): void => undefined
      const outcome = new Promise<Outcome>(resolve => {
        heard = resolve
      })
      waiting.set(id, all.add(heard))
      try {
        return await work(outcome)
      } finally {
        all.delete(heard)
        if (all.size === 0) waiting.delete(id)
      }
    },
  }
}
