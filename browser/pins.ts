// Places pins on a picture by pointer or keyboard.
import { button } from './confirm.js'

/** Highest number of pins on one picture, as in forms/geolocation.ts. */
const maxPins = 100
const instructions =
  'Click or tap the picture to place a pin. Drag a pin to move it, or use the arrow keys; Delete removes it.'

/**
 * Lets users place pins on a picture by pointer and keyboard. The number fields of the pins are hidden, but are still
 * what is sent.
 */
export function enablePins(element: HTMLElement, announce: (text: string) => void): void {
  const picture = element.querySelector<HTMLElement>('.picture')
  const list = element.querySelector<HTMLElement>('[data-pin-list]')
  const blank = element.querySelector<HTMLTemplateElement>('template')
  if (!picture || !list || !blank || element.dataset.ready !== undefined) return
  element.dataset.ready = ''
  const pins = () => [...list.querySelectorAll<HTMLElement>('[data-pin]')]
  const markers = new WeakMap<HTMLElement, HTMLButtonElement>()
  picture.querySelector('[data-marks]')?.remove()

  const hint = document.createElement('p')
  hint.className = 'hint'
  hint.textContent = instructions
  const place = button('Add a pin', 'button secondary', () => {
    const pin = add(50, 50)
    if (pin) markers.get(pin)?.focus()
  })
  picture.before(hint)
  list.after(place)

  for (const pin of pins()) {
    const [x, y] = [numberIn(pin, 'x'), numberIn(pin, 'y')]
    // The page has a blank pin for browsers without scripts.
    if (x === undefined && y === undefined && field(pin, 'value')?.value === '') pin.remove()
    else addMarker(pin, x ?? 50, y ?? 50)
  }
  renumber()

  // If the browser started to drag the picture itself, it would cancel the dragging of pins.
  picture.addEventListener('dragstart', event => event.preventDefault())
  picture.addEventListener('click', event => {
    if (event.target instanceof HTMLImageElement) {
      const pin = add(...positionOf(event))
      if (pin) field(pin, 'value')?.focus()
    }
  })

  function add(x: number, y: number): HTMLElement | undefined {
    if (!list || !blank || pins().length >= maxPins) return undefined
    const next = 1 + Math.max(-1, ...pins().map(pin => Number(pin.dataset.pin)))
    const part = document.importNode(blank.content, true)
    for (const each of part.querySelectorAll('*')) {
      for (const attribute of each.attributes) attribute.value = attribute.value.replaceAll('{pin}', String(next))
    }
    list.append(part)
    const pin = pins().at(-1)
    if (!pin) return undefined
    addMarker(pin, x, y)
    renumber()
    announce(`Pin ${pins().length} placed.`)
    return pin
  }

  /** Adds the marker of a pin to the picture, and makes it react to pointer and keyboard. */
  function addMarker(pin: HTMLElement, x: number, y: number) {
    const marker = button('', 'pin', () => field(pin, 'value')?.focus())
    markers.set(pin, marker)
    picture?.append(marker)
    for (const places of pin.querySelectorAll<HTMLElement>('.pin-place')) places.hidden = true
    for (const removal of pin.querySelectorAll<HTMLButtonElement>('[data-remove-pin]')) {
      removal.hidden = false
      removal.addEventListener('click', () => remove(pin))
    }
    marker.addEventListener('keydown', event => {
      const step = event.shiftKey ? 5 : 1
      const [dx, dy] = arrows[event.key] ?? [0, 0]
      if (event.key === 'Delete' || event.key === 'Backspace') remove(pin)
      else if (dx === 0 && dy === 0) return
      else move(pin, (numberIn(pin, 'x') ?? 50) + dx * step, (numberIn(pin, 'y') ?? 50) + dy * step)
      event.preventDefault()
    })
    drag(marker, event => move(pin, ...positionOf(event)))
    move(pin, x, y)
  }

  function move(pin: HTMLElement, toX: number, toY: number) {
    const [x, y] = [within(toX), within(toY)]
    const marker = markers.get(pin)
    if (marker) {
      marker.style.left = `${x}%`
      marker.style.top = `${y}%`
    }
    write(field(pin, 'x'), x)
    write(field(pin, 'y'), y)
    name(pin)
  }

  function remove(pin: HTMLElement) {
    const n = pins().indexOf(pin)
    markers.get(pin)?.remove()
    pin.remove()
    renumber()
    announce(`Pin ${n + 1} removed.`)
    const near = pins()[n] ?? pins().at(-1)
    const next = near && markers.get(near)
    ;(next ?? place).focus()
    list?.dispatchEvent(new Event('change', { bubbles: true }))
  }

  function renumber() {
    pins().forEach((pin, n) => {
      for (const number of pin.querySelectorAll('[data-number]')) number.textContent = String(n + 1)
      const marker = markers.get(pin)
      if (marker) marker.textContent = String(n + 1)
      name(pin)
    })
    place.hidden = pins().length >= maxPins
  }

  function name(pin: HTMLElement) {
    const [x = 0, y = 0] = [numberIn(pin, 'x'), numberIn(pin, 'y')]
    const at = `${Math.round(x)} % from the left, ${Math.round(y)} % from the top`
    markers.get(pin)?.setAttribute('aria-label', `Pin ${pins().indexOf(pin) + 1}, ${at}`)
  }

  function positionOf({ clientX, clientY }: MouseEvent): [x: number, y: number] {
    const { left, top, width, height } = (picture?.querySelector('img') ?? element).getBoundingClientRect()
    return [((clientX - left) / width) * 100, ((clientY - top) / height) * 100]
  }
}

const arrows: Readonly<Record<string, readonly [x: number, y: number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** Limits a percentage to 0 to 100 and rounds it to a tenth, which is more precise than a finger. */
const within = (per: number): number => Math.round(Math.min(100, Math.max(0, per)) * 10) / 10

const field = (pin: HTMLElement, part: string) =>
  [...pin.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')].find(each =>
    each.name.endsWith(`.${part}`),
  )

function numberIn(pin: HTMLElement, part: string): number | undefined {
  const text = field(pin, part)?.value.trim().replace(',', '.') ?? ''
  return text === '' || Number.isNaN(Number(text)) ? undefined : Number(text)
}

function write(into: HTMLInputElement | HTMLTextAreaElement | undefined, number: number) {
  if (!into || into.value === String(number)) return
  into.value = String(number)
  into.dispatchEvent(new Event('input', { bubbles: true }))
}

/** Calls `moved` while an element is dragged. Movements of up to 3 pixels are taken for a click. */
function drag(element: HTMLElement, moved: (event: PointerEvent) => void) {
  let from: PointerEvent | undefined
  element.addEventListener('pointerdown', event => {
    from = event
    element.setPointerCapture(event.pointerId)
  })
  element.addEventListener('pointermove', event => {
    const isFar = from && Math.hypot(event.clientX - from.clientX, event.clientY - from.clientY) > 3
    if (isFar) element.classList.add('is-dragged')
    if (element.classList.contains('is-dragged')) moved(event)
  })
  for (const end of ['lostpointercapture', 'pointercancel']) {
    element.addEventListener(end, () => {
      from = undefined
      // A click event follows the end of a drag; the class stays until then.
      setTimeout(() => element.classList.remove('is-dragged'))
    })
  }
}
