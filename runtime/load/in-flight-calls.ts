/** Calls under way, to which other work gives way. */
export interface InFlightCalls {
  /** @returns what ends the call. */
  begin(): () => void
  /** Calls `go` as soon as no call is under way, after `ms` at the latest. */
  whenNone(go: () => void, ms: number): void
}

/** @param longestMs after which a call counts no longer: it waits for something else than this process. */
export function createInFlightCalls(longestMs: number): InFlightCalls {
  /** When they began, the oldest first. */
  const begun = new Map<object, number>()
  const waiting = new Set<() => void>()

  function isAny(): boolean {
    const since = performance.now() - longestMs
    for (const [call, at] of begun) {
      if (at >= since) return true
      begun.delete(call)
    }
    return false
  }

  function goOn(): void {
    if (!isAny()) for (const go of waiting) go()
  }

  return {
    begin() {
      const call = {}
      begun.set(call, performance.now())
      return () => {
        begun.delete(call)
        // Behind its answer, which is written when its middleware has returned.
        if (waiting.size > 0) setImmediate(goOn)
      }
    },

    whenNone(go, ms) {
      if (!isAny()) return go()
      const once = () => {
        clearTimeout(timer)
        if (waiting.delete(once)) go()
      }
      const timer = setTimeout(once, ms)
      waiting.add(once)
    },
  }
}
