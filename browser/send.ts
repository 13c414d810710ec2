// Guards the submission of a form: no double submission, no faults, no lost input without a warning.
import type { Autosave } from './autosave.js'
import { confirmed } from './confirm.js'

/** What is checked before the action of a button: everything, or only the values entered. Other actions are not checked. */
const looksAt: Readonly<Record<string, 'all' | 'filled in'>> = { send: 'all', complete: 'all', save: 'filled in' }

/** How long further presses are ignored after sending, in ms. If the page is still there after that, sending has failed. */
const sendingMs = 30_000

interface Around {
  /** True if leaving the page would lose input. */
  unsaved: { changed: boolean }
  autosave: Autosave
  announce: (text: string) => void
  /** Checks the form and shows its faults. @returns true if it can be sent. */
  admit: (what: 'all' | 'filled in') => boolean
  /** Shows why the form cannot be sent. */
  refuse: (why: string) => void
}

/** Makes sure that a form is sent only once and only without faults, and warns before input is lost. */
export function guardSending(root: HTMLElement, { unsaved, autosave, announce, admit, refuse }: Around): void {
  /**
   * `waits`: a button was pressed, but a draft is still being saved, so leaving would lose input. `sends`: the form is
   * on its way.
   */
  let busy: 'waits' | 'sends' | undefined
  /** The button that was confirmed already and is now pressed by the script. */
  let confirmedButton: HTMLElement | undefined

  root.addEventListener('submit', event => {
    const { submitter } = event
    const action = submitter instanceof HTMLButtonElement ? submitter.value : 'send'
    const what = looksAt[action]
    if (busy || (what && !admit(what))) {
      event.preventDefault()
      return
    }
    if (!navigator.onLine) {
      event.preventDefault()
      refuse('There is no connection. Nothing was sent, and nothing is lost: try again later.')
      return
    }
    const mustWait = action === 'discard' || autosave.underWay() !== undefined
    if (submitter && submitter !== confirmedButton && mustWait) {
      event.preventDefault()
      void confirmAndPress(action, submitter)
      return
    }
    blockPresses('sends')
    setTimeout(unblockPresses, sendingMs)
  })

  /** Asks before discarding, waits for a draft that is being saved, and then presses the button again. */
  async function confirmAndPress(action: string, submitter: HTMLElement) {
    const label = submitter.textContent.trim()
    if (action === 'discard' && !(await confirmed(`${label}? What is filled in here is lost.`, label))) return
    blockPresses('waits')
    await autosave.underWay()
    confirmedButton = submitter
    // A form ignores a submit while it still handles one, so the button is pressed in a later task.
    setTimeout(() => {
      unblockPresses()
      submitter.click()
      confirmedButton = undefined
    })
  }

  const blockPresses = (why: 'waits' | 'sends') => {
    busy = why
    root.setAttribute('aria-busy', 'true')
    announce('Sending…')
  }

  const unblockPresses = () => {
    busy = undefined
    root.removeAttribute('aria-busy')
  }
  addEventListener('pageshow', unblockPresses)
  addEventListener('beforeunload', event => {
    if ((unsaved.changed || autosave.underWay()) && busy !== 'sends') event.preventDefault()
  })
}
