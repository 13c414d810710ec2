// Fills in latitude and longitude from the browser's position.
import { button } from './confirm.js'

/** Why a browser has no position, by the code of its error. */
const refusals: Readonly<Record<number, string>> = {
  1: 'The browser may not say where you are. Allow it in its settings, or fill in the place yourself.',
  2: 'Your position could not be found. Try again outside, or fill in the place yourself.',
  3: 'Finding your position took too long. Try again, or fill in the place yourself.',
}

/** How long a position is looked for, in ms. */
const patienceMs = 20_000

/** Lets the two fields of a place be filled in by the browser. */
export function enablePosition(element: HTMLElement): void {
  const [latitude, longitude] = element.querySelectorAll('input')
  if (!latitude || !longitude || element.dataset.ready !== undefined || !('geolocation' in navigator)) return
  element.dataset.ready = ''
  const status = document.createElement('p')
  status.className = 'hint'
  status.setAttribute('role', 'status')
  const find = button('Use my position', 'button secondary', () => {
    find.disabled = true
    status.textContent = 'Looking for your position…'
    const done = (text: string) => {
      find.disabled = false
      status.textContent = text
    }
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        // Six places are 0.1 m.
        latitude.value = String(Number(coords.latitude.toFixed(6)))
        longitude.value = String(Number(coords.longitude.toFixed(6)))
        longitude.dispatchEvent(new Event('change', { bubbles: true }))
        done(`Filled in, accurate to ${Math.ceil(coords.accuracy)} m.`)
      },
      error => done(refusals[error.code] ?? error.message),
      { enableHighAccuracy: true, timeout: patienceMs, maximumAge: 60_000 },
    )
  })
  element.append(find, status)
}
