/** Outcomes of runs, for those who wait in the same process. The run in Temporal remains the record. */
export interface Outcomes<Outcome> {
  /** Resolves all that wait for this id. Without anybody waiting it does nothing. */
  publish(id: string, outcome: Outcome): void
  /**
   * Waits for the outcome of an id. Several may wait for one.
   * @param work uses the promise; nobody waits once it has settled. @returns what `work` returns.
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
