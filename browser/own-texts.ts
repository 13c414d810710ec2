/**
 * Keeps the options of a control and its field for an answer of one's own consistent: choosing an option clears the field, and
 * writing into the field chooses it.
 */
export function enableOwnTexts(root: HTMLElement): void {
  root.addEventListener('input', ({ target }) => {
    const control = target instanceof Element ? target.closest('[data-control]') : null
    const own = control?.querySelector<HTMLInputElement>('input[name$=".other"]')
    if (!control || !own) return
    const choice = control.querySelector<HTMLInputElement>('input[value=""]:is([type=radio], [type=checkbox])')
    const select = control.querySelector('select')
    if (target === own) {
      if (own.value === '') return
      if (choice) choice.checked = true
      if (select) select.value = ''
    } else if (target instanceof HTMLInputElement) {
      const isOther = target === choice ? !target.checked : target.type === 'radio'
      if (isOther) own.value = ''
    } else if (select?.value) own.value = ''
  })
}
