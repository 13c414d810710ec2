// The error messages of a form's page: beside each field, and in a list above the form.
import { summaryOf } from '../forms/summary.js'
import type { FormFault } from '../forms/values.js'
import { pathTo } from './iterations.js'
import { fieldsIn, type Page } from './page.js'

/** Shows faults beside the fields and, after an attempt to send, in a list above the form. */
export interface Messages {
  /** True if all faults are shown, because the server has found some or the user tried to send. */
  areShown(): boolean
  /** Shows the faults of all fields from now on, touched or not. */
  showAll(): void
  /** Updates the messages beside the fields, and takes faults that are mended from the list and from the title. */
  show(faults: readonly FormFault[]): void
  /** Lists all faults above the form and moves the focus there. */
  summarize(faults: readonly Omit<FormFault, 'code'>[]): void
  /** Shows the faults of a control once somebody has filled it in and left it. Calls `left` whenever that happens. */
  follow(left: () => void): void
}

/** Begins the title of a page with faults. */
const inTitle = 'Error: '

export function createMessages({ root, template }: Page): Messages {
  const summary = root.querySelector<HTMLElement>('[data-summary]')
  /** The parts of the form whose faults are shown. */
  const shown = new WeakSet<Element>()
  const parts = () => [...root.querySelectorAll<HTMLElement>('[data-control], [data-repeat]')]
  const showAll = () => {
    for (const part of parts()) shown.add(part)
  }
  const areShown = () => summary?.hidden === false
  if (areShown()) showAll()
  type Told = Omit<FormFault, 'code'>
  /** Returns the function that finds the part of the form that a fault belongs to. */
  const partsOf = () => {
    const places = new Map(parts().map(part => [placeOf(idOf(part), pathTo(part)), part]))
    return ({ id = '', path }: Told) => places.get(placeOf(id, path))
  }
  /** The parts that the list above the form names. Undefined until the faults in a list of the server's have been checked. */
  let listed: Set<Element | undefined> | undefined

  /** Lists faults above the form, and says in the title whether there are any. */
  function list(faults: readonly Told[], partOf: (fault: Told) => HTMLElement | undefined): void {
    const items = summaryOf(template, faults).map(({ text }, n) => {
      const item = document.createElement('li')
      const part = faults[n] && partOf(faults[n])
      item.append(part ? linkTo(part, text) : text)
      return item
    })
    summary?.querySelector('ul')?.replaceChildren(...items)
    showWhether(items.length > 0)
  }

  function showWhether(isListed: boolean): void {
    if (summary) summary.hidden = !isListed
    const title = document.title.startsWith(inTitle) ? document.title.slice(inTitle.length) : document.title
    document.title = isListed ? inTitle + title : title
  }

  /** Takes parts that are mended from the list. Others stay untouched, so that screen readers do not read them again. */
  function shorten(faults: readonly Told[]): void {
    const partOf = partsOf()
    if (!listed) {
      listed = new Set(faults.map(partOf))
      return
    }
    const left = faults.filter(fault => {
      const part = partOf(fault)
      return part && listed?.has(part)
    })
    const texts = new Set(summaryOf(template, left).map(({ text }) => text))
    for (const item of summary?.querySelectorAll('li') ?? []) {
      // What belongs to no part, such as a lost connection, stays until the next attempt to send.
      if (!texts.delete(item.textContent) && item.querySelector('a')) item.remove()
    }
    if (texts.size > 0) list(left, partOf)
    else showWhether(summary?.querySelector('li') !== null)
  }

  return {
    areShown,
    showAll,
    show(faults) {
      const details = new Map<string, string[]>()
      for (const { id = '', path, detail } of faults) {
        const place = placeOf(id, path)
        details.set(place, [...(details.get(place) ?? []), detail])
      }
      for (const part of parts()) {
        if (shown.has(part)) showMessage(part, details.get(placeOf(idOf(part), pathTo(part)))?.join(' ') ?? '')
      }
      if (areShown()) shorten(faults)
    },
    summarize(faults) {
      const partOf = partsOf()
      listed = new Set(faults.map(partOf))
      list(faults, partOf)
      summary?.focus()
    },
    follow(left) {
      const filledIn = new WeakSet<Element>()
      let isPressed = false
      const controlOf = (event: Event) =>
        event.target instanceof Element ? event.target.closest('[data-control]') : null
      root.addEventListener('input', event => {
        const control = controlOf(event)
        if (control) filledIn.add(control)
        // A file is chosen in one step, so its faults are shown right away.
        if (control && event.target instanceof HTMLInputElement && event.target.type === 'file') shown.add(control)
      })
      root.addEventListener('focusout', event => {
        const control = controlOf(event)
        const isInside = event.relatedTarget instanceof Node && control?.contains(event.relatedTarget)
        if (!control || isInside || !filledIn.has(control)) return
        shown.add(control)
        if (!isPressed) left()
      })
      // A message that appears between the two halves of a click would move the button away from under the pointer.
      root.addEventListener('pointerdown', () => {
        isPressed = true
      })
      for (const end of ['pointerup', 'pointercancel']) {
        document.addEventListener(end, () => {
          if (!isPressed) return
          isPressed = false
          setTimeout(left)
        })
      }
    },
  }
}

const placeOf = (id: string, path: readonly number[]): string => `${id} ${path.join(' ')}`
const idOf = (part: HTMLElement): string => part.dataset.control ?? part.dataset.repeat ?? ''

/** Shows a message beside a control or in a repeat; '' removes it. */
function showMessage(part: HTMLElement, text: string) {
  const message = [...part.querySelectorAll<HTMLElement>('.error')].find(
    each => each.closest('[data-control], [data-repeat]') === part,
  )
  if (!message) return
  if (message.textContent !== text) message.textContent = text
  message.hidden = text === ''
  if (part.dataset.control === undefined) return
  const isRadios = part.getAttribute('role') === 'radiogroup'
  for (const field of isRadios ? [part] : fieldsIn(part)) {
    if (text === '') field.removeAttribute('aria-invalid')
    else field.setAttribute('aria-invalid', 'true')
  }
}

function linkTo(part: HTMLElement, text: string): HTMLAnchorElement {
  const made = document.createElement('a')
  const target = part.querySelector<HTMLElement>('[data-pins]') ?? fieldsIn(part)[0] ?? part
  made.href = `#${encodeURIComponent(target.id)}`
  made.textContent = text
  made.addEventListener('click', event => {
    event.preventDefault()
    // Scrolls to the whole control, so that its label and message are visible too.
    part.scrollIntoView({ block: 'start' })
    target.focus({ preventScroll: true })
  })
  return made
}
