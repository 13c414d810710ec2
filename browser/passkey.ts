// The script of the pages on which people sign in: asks the browser for a passkey, or has it make one, and sends that with the form.
// Where the browser has no passkeys the buttons stay hidden, and the pages work without.

async function answerTo(button: HTMLElement): Promise<Credential | null> {
  const { passkeyRequest, passkeyCreation } = button.dataset
  return passkeyCreation
    ? navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(JSON.parse(passkeyCreation)),
      })
    : navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(passkeyRequest ?? '{}')),
      })
}

async function send(button: HTMLElement, form: HTMLFormElement): Promise<void> {
  const said = form.querySelector<HTMLElement>('[role=alert]')
  const field = form.elements.namedItem('passkey')
  try {
    const made = await answerTo(button)
    if (!(made instanceof PublicKeyCredential) || !(field instanceof HTMLInputElement)) return
    field.value = JSON.stringify(made)
    form.submit()
  } catch (error) {
    if (!said) return
    const isThere = error instanceof DOMException && error.name === 'InvalidStateError'
    said.hidden = false
    said.textContent = isThere
      ? 'This device has a passkey for you already.'
      : 'The browser has given no passkey. Try again, or go on without one.'
  }
}

const hasPasskeys = 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential
for (const part of hasPasskeys ? document.querySelectorAll<HTMLElement>('[data-passkeys]') : []) {
  part.hidden = false
  for (const button of part.querySelectorAll<HTMLButtonElement>('button[type=button]')) {
    const { form } = button
    if (form) button.addEventListener('click', () => void send(button, form))
  }
}
