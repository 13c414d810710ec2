// Saves a form as a draft at regular intervals while the user fills it in.
import type { Page } from './page.js'

/** A form that saves itself while it is filled in. */
export interface Autosave {
  /**
   * Resolves when the save in progress has ended. A request sent before that would carry an ETag that is about to
   * change.
   */
  underWay(): Promise<void> | undefined
}

/**
 * Starts saving the form as a draft at the interval that its `data-auto-save` attribute gives, in seconds. A save is skipped
 * while nothing has changed, the one before it is still running, or the form is being sent.
 */
export function startAutosave({ root, form }: Page, unsaved: { changed: boolean }): Autosave {
  const attribute = (name: string) => Element.prototype.getAttribute.call(form, name) ?? ''
  const seconds = Number(attribute('data-auto-save'))
  const state = root.querySelector<HTMLElement>('[data-save-state]')
  let underWay: Promise<void> | undefined
  let timer: ReturnType<typeof setInterval> | undefined

  async function save() {
    const body = new FormData(form)
    body.set('action', 'autosave')
    // Changes from here on go into the next save.
    unsaved.changed = false
    const answer = await fetch(attribute('action'), {
      method: 'POST',
      body,
      headers: { accept: 'application/json' },
    }).catch(() => undefined)
    if (answer?.ok) {
      const etag = root.querySelector<HTMLInputElement>('input[name=etag]')
      if (etag) etag.value = answer.headers.get('etag') ?? etag.value
      say(`Saved at ${new Date().toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })}.`)
      return
    }
    unsaved.changed = true
    if ([401, 403, 404, 412].includes(answer?.status ?? 0)) clearInterval(timer)
    say(refusalOf(answer?.status))
  }

  const say = (text: string) => {
    if (state) state.textContent = text
  }

  if (seconds > 0) {
    timer = setInterval(() => {
      // A form that is being sent has its ETag with it: a draft saved in between would make that an old one.
      if (underWay || !unsaved.changed || root.hasAttribute('aria-busy')) return
      underWay = save().finally(() => {
        underWay = undefined
      })
    }, seconds * 1000)
  }
  return { underWay: () => underWay }
}

/** Explains to the user why a draft was not saved. */
function refusalOf(status: number | undefined): string {
  switch (status) {
    case undefined:
      return 'Not saved: there is no connection. It will be tried again.'
    case 400:
      return 'Not saved: something that is filled in is not right yet.'
    case 412:
      return 'Not saved: somebody else has changed this form meanwhile. Note what you need, then load the page again.'
    case 401:
    case 403:
    case 404:
      return 'Not saved: you are no longer signed in, or the form can no longer be changed.'
    default:
      return 'Not saved. It will be tried again.'
  }
}
