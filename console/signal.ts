// A value that pages follow.
import { useEffect, useState } from 'preact/hooks'

export interface Signal<T> {
  get(): T
  set(value: T): void
  /** Returns the value, and draws the component again when it changes. */
  use(): T
}

export function signal<T>(first: T): Signal<T> {
  let value = first
  const followers = new Set<(value: T) => void>()
  return {
    get: () => value,
    set(next) {
      value = next
      for (const follow of followers) follow(next)
    },
    use() {
      const [seen, follow] = useState(value)
      useEffect(() => {
        followers.add(follow)
        follow(value)
        return () => void followers.delete(follow)
      }, [])
      return seen
    },
  }
}
