/**
 * Asks the user to confirm an action in a dialog of our own. Browsers suppress `confirm()` in a frame of another site.
 * @param yes label of the button that confirms.
 */
export function confirmed(question: string, yes: string): Promise<boolean> {
  const dialog = document.createElement('dialog')
  dialog.className = 'question'
  const text = document.createElement('p')
  text.id = 'page:question'
  text.textContent = question
  dialog.setAttribute('aria-labelledby', text.id)
  const actions = document.createElement('div')
  actions.className = 'actions'
  actions.append(
    button('Cancel', 'button secondary', () => dialog.close()),
    button(yes, 'button danger', () => dialog.close('yes')),
  )
  dialog.append(text, actions)
  document.body.append(dialog)
  dialog.showModal()
  return new Promise(resolve => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'yes')
    })
  })
}

/** Creates a button that does not submit the form. */
export function button(text: string, className: string, press: () => void): HTMLButtonElement {
  const made = document.createElement('button')
  made.type = 'button'
  made.className = className
  made.textContent = text
  made.addEventListener('click', press)
  return made
}
