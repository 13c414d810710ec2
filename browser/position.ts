// Fills in latitude and longitude from the browser's position.
import { button } from './confirm.js'

/** Explains to the user why there is no position, by the code of the browser's error. */
const refusals: Readonly<Record<number, string>> = {
  1: 'The browser may not say where you are. Allow it in its settings, or fill in the place yourself.',
  2: 'Your position could not be found. Try again outside, or fill in the place yourself.',
  3: 'Finding your position took too long. Try again, or fill in the place yourself.',
}

/** How long to wait for a position, in ms. */
const positionTimeoutMs = 20_000

/** Adds a button that fills in the two fields of a geolocation from the browser's position. */
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
        // Six decimal places are about 0.1 m.
        latitude.value = String(Number(coords.latitude.toFixed(6)))
        longitude.value = String(Number(coords.longitude.toFixed(6)))
        longitude.dispatchEvent(new Event('change', { bubbles: true }))
        done(`Filled in, accurate to ${Math.ceil(coords.accuracy)} m.`)
      },
      error => done(refusals[error.code] ?? error.message),
      { enableHighAccuracy: true, timeout: positionTimeoutMs, maximumAge: 60_000 },
    )
  })
  element.append(find, status)
}
