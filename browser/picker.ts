// Opens the browser's own calendar or clock for the text fields of a date or a time.
import { button } from './confirm.js'

const labels: Readonly<Record<string, string>> = {
  date: 'Choose a date',
  time: 'Choose a time',
  'datetime-local': 'Choose a date and time',
}

/**
 * Adds a button that opens the browser's picker and fills in the fields of an element from it. `data-picker` is the type of the
 * picker's `<input>`, and `data-min` and `data-max` are its bounds.
 */
export function enablePicker(element: HTMLElement): void {
  const { picker: type = '', min = '', max = '' } = element.dataset
  const label = labels[type]
  if (label === undefined || element.dataset.ready !== undefined || !canOpenPickers()) return
  element.dataset.ready = ''
  const all = [...element.querySelectorAll('input')]
  const named = (part: string) => all.find(each => each.name.endsWith(`.${part}`))
  const date = ['year', 'month', 'day'].map(named)
  const time = type === 'time' ? all[0] : named('time')

  // It has no name, so it is not sent.
  const picker = Object.assign(document.createElement('input'), { type, min, max, className: 'picker', tabIndex: -1 })
  picker.setAttribute('aria-hidden', 'true')
  picker.addEventListener('change', () => {
    const [day = '', clock = ''] = type === 'time' ? ['', picker.value] : picker.value.split('T')
    for (const [n, text] of [...day.split('-'), '', ''].slice(0, date.length).entries()) write(date[n], text)
    write(time, clock)
  })
  const open = button(label, 'button secondary', () => {
    const day = date.map(field => field?.value.trim().padStart(2, '0') ?? '').join('-')
    // A text that is no date opens the picker without one.
    picker.value = type === 'time' ? (time?.value ?? '') : `${day}${time ? `T${time.value}` : ''}`
    picker.showPicker()
  })
  const around = document.createElement('div')
  around.className = 'picks'
  around.append(open, picker)
  element.append(around)
}

/** True if a script may open pickers. Browsers refuse it in a frame of another site. */
function canOpenPickers(): boolean {
  try {
    return 'showPicker' in HTMLInputElement.prototype && window.top?.location.origin === location.origin
  } catch {
    return false
  }
}

function write(field: HTMLInputElement | undefined, text: string) {
  if (field) field.value = text
}
