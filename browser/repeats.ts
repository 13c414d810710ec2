// Adds and removes iterations of a repeat without a request to the server.
import type { Repeat } from '../forms/template.js'
import { confirmed } from './confirm.js'
import { iterationsIn, repeatAround } from './iterations.js'
import { fieldsIn, type Page } from './page.js'
import { repeatsIn } from './relevance.js'

interface Around {
  /** Enhances the fields of a new iteration. */
  enliven: (part: HTMLElement) => void
  announce: (text: string) => void
  changed: () => void
}

/** Lets users add and remove iterations on the page. Without scripts the same buttons send a request to the server. */
export function enableRepeats({ root, template }: Page, { enliven, announce, changed }: Around): void {
  const known = new Map(
    template.buildingBlocks.flatMap(block => block.sections.flatMap(repeatsIn)).map(repeat => [repeat.id, repeat]),
  )

  root.addEventListener('click', event => {
    const pressed = event.target instanceof Element && event.target.closest<HTMLButtonElement>('button[name=action]')
    const element = pressed ? pressed.closest('[data-repeat]') : null
    const repeat = element && known.get(element.getAttribute('data-repeat') ?? '')
    if (!pressed || !repeat || !/^(add|remove):/.test(pressed.value)) return
    event.preventDefault()
    const iteration = pressed.value.startsWith('remove:') && pressed.closest<HTMLElement>('[data-iteration]')
    if (iteration) remove(iteration, repeat)
    else add(element, repeat)
  })

  function add(element: Element, repeat: Repeat) {
    const blank = element.querySelector<HTMLTemplateElement>(':scope > template')
    const before = iterationsIn(element)
    if (!blank || before.length >= (repeat.maxIterations ?? 1_000)) return
    const added = document.importNode(blank.content, true)
    const next = 1 + Math.max(-1, ...before.map(each => Number(each.dataset.iteration)))
    replaceToken(added, `{${repeat.id}}`, String(next))
    blank.before(added)
    const iteration = iterationsIn(element)[before.length]
    if (!iteration) return
    enliven(iteration)
    renumber(element, repeat)
    fieldsIn(iteration)[0]?.focus()
    announce(`${repeat.label} ${before.length + 1} added.`)
    changed()
  }

  async function remove(iteration: HTMLElement, repeat: Repeat) {
    const element = repeatAround(iteration)
    const n = element ? iterationsIn(element).indexOf(iteration) : -1
    if (!element || n < 0 || iterationsIn(element).length <= repeat.minIterations) return
    const name = `${repeat.label} ${n + 1}`
    if (isFilledIn(iteration, element) && !(await confirmed(`Remove ${name} and what is filled in there?`, 'Remove')))
      return
    iteration.remove()
    renumber(element, repeat)
    const left = iterationsIn(element)
    const near = left[n] ?? left.at(-1)
    const next = near ? fieldsIn(near)[0] : element.querySelector<HTMLElement>(':scope > button[value^="add:"]')
    next?.focus()
    announce(`${name} removed.`)
    changed()
  }

  for (const element of root.querySelectorAll('[data-repeat]')) {
    const repeat = known.get(element.getAttribute('data-repeat') ?? '')
    if (repeat) renumber(element, repeat)
  }
}

/** Updates the number of each iteration, and hides buttons that would exceed the repeat's limits. */
function renumber(element: Element, { minIterations, maxIterations }: Repeat) {
  const all = iterationsIn(element)
  all.forEach((iteration, n) => {
    for (const number of iteration.querySelectorAll('[data-number]')) {
      if (number.closest('[data-pin], [data-iteration]') === iteration) number.textContent = String(n + 1)
    }
    for (const button of iteration.querySelectorAll<HTMLButtonElement>('button[value^="remove:"]')) {
      if (button.closest('[data-iteration]') === iteration) button.hidden = all.length <= minIterations
    }
  })
  const add = [...element.querySelectorAll<HTMLButtonElement>('button[value^="add:"]')]
  for (const button of add) {
    if (button.closest('[data-repeat]') === element) button.hidden = all.length >= (maxIterations ?? 1_000)
  }
}

/** Replaces a token with the number of the new iteration, also in nested templates. */
function replaceToken(part: DocumentFragment, token: string, number: string) {
  for (const element of part.querySelectorAll('*')) {
    for (const attribute of element.attributes) {
      // Other attributes hold texts of the author, which may look like a token by chance.
      const isOurs = /^(id|name|for|aria-(describedby|labelledby)|data-.*)$/.test(attribute.name)
      if (isOurs || element instanceof HTMLButtonElement) attribute.value = attribute.value.replaceAll(token, number)
    }
    if (element instanceof HTMLTemplateElement) replaceToken(element.content, token, number)
  }
}

/** True if the fields of an iteration differ from those of a blank one. */
function isFilledIn(iteration: HTMLElement, element: Element): boolean {
  const blank = element.querySelector<HTMLTemplateElement>(':scope > template')
  return contents(iteration) !== (blank ? contents(blank.content) : '')
}

const contents = (part: ParentNode): string =>
  [...part.querySelectorAll<HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement>('input, select, textarea')]
    .filter(field => field.type !== 'hidden' && field.name !== '')
    .map(field => ('checked' in field && /^(checkbox|radio)$/.test(field.type) ? `${field.checked}` : field.value))
    .join('\n')
