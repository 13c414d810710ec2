/** Bytes that works of a process may hold together; others wait for their turn, in the order of the calls. */
export interface ByteBudget {
  /**
   * Runs `work` when its bytes fit. Alone it runs whatever it needs.
   * @param bytes that it may come to. @param work is given a function to say how many it has come to.
   * @throws BudgetExceeded where too many wait already, or the turn does not come in time.
   */
  run<T>(bytes: number, work: (settle: (actual: number) => void) => Promise<T>): Promise<T>
}

export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded'
}

interface Limits {
  /** Bytes of all works together. */
  max: number
  maxWaiting: number
  /** Longest wait, in ms. */
  waitTimeoutMs: number
}

export function createByteBudget({ max, maxWaiting, waitTimeoutMs }: Limits): ByteBudget {
  let held = 0
  const waiting: { bytes: number; begin: () => void }[] = []
  const fits = (bytes: number) => held === 0 || held + bytes <= max

  function beginNext(): void {
    for (let [first] = waiting; first && fits(first.bytes); [first] = waiting) {
      waiting.shift()
      held += first.bytes
      first.begin()
    }
  }

  async function take(bytes: number): Promise<void> {
    if (waiting.length === 0 && fits(bytes)) {
      held += bytes
      return
    }
    if (waiting.length >= maxWaiting) throw new BudgetExceeded()
    await new Promise<void>((resolve, reject) => {
      const late = setTimeout(() => {
        waiting.splice(waiting.indexOf(waiter), 1)
        reject(new BudgetExceeded())
        beginNext()
      }, waitTimeoutMs)
      const begin = () => {
        clearTimeout(late)
        resolve()
      }
      const waiter = { bytes, begin }
      waiting.push(waiter)
    })
  }

  return {
    async run(bytes, work) {
      await take(bytes)
      let own = bytes
      const settle = (actual: number) => {
        held += actual - own
        own = actual
        beginNext()
      }
      try {
        return await work(settle)
      } finally {
        settle(0)
      }
    },
  }
}
