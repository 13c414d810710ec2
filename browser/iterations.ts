/** The iterations that belong to a repeat itself, in their order. */
export const iterationsIn = (repeat: Element): HTMLElement[] =>
  [...repeat.querySelectorAll<HTMLElement>('[data-iteration]')].filter(each => repeatAround(each) === repeat)

export const repeatAround = (element: Element): Element | null =>
  element.parentElement?.closest('[data-repeat]') ?? null

/** The iterations that an element stands in, counted as they will be sent: in their order on the page, without gaps. */
export function pathTo(element: Element): number[] {
  const iteration = element.parentElement?.closest<HTMLElement>('[data-iteration]')
  const repeat = iteration && repeatAround(iteration)
  return repeat ? [...pathTo(repeat), iterationsIn(repeat).indexOf(iteration)] : []
}
