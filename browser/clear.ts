/** Lets users clear a chosen radio button on the page. Without scripts the same button sends a request to the server. */
export function enableClearing(root: HTMLElement, cleared: () => void): void {
  root.addEventListener('click', event => {
    const pressed = event.target instanceof Element && event.target.closest<HTMLButtonElement>('button.clear')
    const control = pressed ? pressed.closest('[data-control]') : null
    if (!control) return
    event.preventDefault()
    for (const field of control.querySelectorAll('input')) {
      if (field.type === 'radio') field.checked = false
      else field.value = ''
    }
    // The button vanishes with the choice.
    control.querySelector('input')?.focus()
    cleared()
  })
}
