// Repeated cursors of providers.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nextPlace, type RefreshPlace } from '../../db/glue/data/data-set-refresh.js'

/** Pages that are asked for until the place behind one is refused. The provider's cursors are 1, 2, 3, …, then a circle. */
function pagesAsked(before: number, circle: number): number {
  let place: RefreshPlace | undefined = { round: 1, place: null, cursor: null, mark: null }
  for (let page = 1; ; page++) {
    const next = page <= before ? page : before + 1 + ((page - before - 1) % circle)
    place = nextPlace(place, String(next))
    if (!place) return page
  }
}

test('a cursor that comes again is noticed within three times the pages that differ, and never before', () => {
  fc.assert(
    fc.property(fc.nat(300), fc.integer({ min: 1, max: 300 }), (before, circle) => {
      const pages = pagesAsked(before, circle)
      expect(pages).toBeGreaterThan(before + circle)
      expect(pages).toBeLessThanOrEqual(3 * (before + circle) + 1)
    }),
  )
})
