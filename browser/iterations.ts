/** Returns the iterations of a repeat in their order, without those of repeats inside it. */
export const iterationsIn = (repeat: Element): HTMLElement[] =>
  [...repeat.querySelectorAll<HTMLElement>('[data-iteration]')].filter(each => repeatAround(each) === repeat)

export const repeatAround = (element: Element): Element | null =>
  element.parentElement?.closest('[data-repeat]') ?? null

/**
 * Returns the indices of the iterations around an element, counted as they will be sent: by their order on the page,
 * without gaps.
 */
export function pathTo(element: Element): number[] {
  const iteration = element.parentElement?.closest<HTMLElement>('[data-iteration]')
  const repeat = iteration && repeatAround(iteration)
  return repeat ? [...pathTo(repeat), iterationsIn(repeat).indexOf(iteration)] : []
}
