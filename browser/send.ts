// Guards the submission of a form: no double submission, no faults, no lost input without a warning.
import type { Autosave } from './autosave.js'
import { confirmed } from './confirm.js'

/** The checks before a button's action: all, or only whether the values entered are valid. Other buttons lose or send nothing. */
const looksAt: Readonly<Record<string, 'all' | 'filled in'>> = { send: 'all', complete: 'all', save: 'filled in' }

/** How long a second press is taken for an accident, in ms. After that the first has come to nothing. */
const sendingMs = 30_000

interface Around {
  /** Whether there is what would be lost by leaving. */
  unsaved: { changed: boolean }
  autosave: Autosave
  announce: (text: string) => void
  /** Judges the form and shows what is wrong. @returns whether it can go. */
  admit: (what: 'all' | 'filled in') => boolean
  /** Says why the form does not go. */
  refuse: (why: string) => void
}

/** Sends a form once, and only when nothing is wrong with it; warns before what is filled in gets lost. */
export function guardSending(root: HTMLElement, { unsaved, autosave, announce, admit, refuse }: Around): void {
  /** With `waits` a press is taken, and a draft is still on its way: what is filled in can get lost. */
  let busy: 'waits' | 'sends' | undefined
  /** The button whose action needs no more questions. */
  let settled: HTMLElement | undefined

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
    if (submitter && submitter !== settled && mustWait) {
      event.preventDefault()
      void settle(action, submitter)
      return
    }
    takeNoMore('sends')
    setTimeout(rest, sendingMs)
  })

  /** Waits for a draft that is being saved, and asks before one is discarded. */
  async function settle(action: string, submitter: HTMLElement) {
    const label = submitter.textContent.trim()
    if (action === 'discard' && !(await confirmed(`${label}? What is filled in here is lost.`, label))) return
    takeNoMore('waits')
    await autosave.underWay()
    settled = submitter
    // A form takes no further press before it is done with the first.
    setTimeout(() => {
      rest()
      submitter.click()
      settled = undefined
    })
  }

  const takeNoMore = (why: 'waits' | 'sends') => {
    busy = why
    root.setAttribute('aria-busy', 'true')
    announce('Sending…')
  }

  const rest = () => {
    busy = undefined
    root.removeAttribute('aria-busy')
  }
  addEventListener('pageshow', rest)
  addEventListener('beforeunload', event => {
    if (unsaved.changed && busy !== 'sends') event.preventDefault()
  })
}
