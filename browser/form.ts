// Enhances a form's page, which also works without scripts. The browser runs the same checks and calculations as the server.
import { startAutosave } from './autosave.js'
import { showCalculated } from './calculations.js'
import { enableClearing } from './clear.js'
import { createMessages } from './messages.js'
import { enableOwnTexts } from './own-texts.js'
import { judge, type Page, readPage } from './page.js'
import { enablePicker } from './picker.js'
import { enablePins } from './pins.js'
import { enablePosition } from './position.js'
import { showRelevance } from './relevance.js'
import { enableRepeats } from './repeats.js'
import { guardSending } from './send.js'
import { voiceOf } from './voice.js'

function enliven(page: Page) {
  const { root } = page
  const messages = createMessages(page)
  const announce = voiceOf(root)
  /** Tracks input that is not saved anywhere. A page that the server returned with faults starts out with such input. */
  const unsaved = { changed: messages.areShown() }
  /** False after the user saved a draft, which may lack required answers. */
  let complete = true

  const refresh = () => {
    const judged = judge(page, complete)
    showRelevance(page, judged)
    showCalculated(page, judged)
    messages.show(judged.faults)
    return judged
  }
  const changed = () => {
    unsaved.changed = true
    refresh()
  }
  const enlivenPart = (part: HTMLElement) => {
    for (const pins of part.querySelectorAll<HTMLElement>('[data-pins]')) enablePins(pins, announce)
    for (const position of part.querySelectorAll<HTMLElement>('[data-position]')) enablePosition(position)
    for (const picker of part.querySelectorAll<HTMLElement>('[data-picker]')) enablePicker(picker)
  }

  enlivenPart(root)
  enableOwnTexts(root)
  enableClearing(root, changed)
  enableRepeats(page, { enliven: enlivenPart, announce, changed })
  messages.follow(refresh)
  root.addEventListener('input', changed)
  root.addEventListener('change', changed)
  guardSending(root, {
    unsaved,
    announce,
    autosave: startAutosave(page, unsaved),
    admit(what) {
      complete = what === 'all'
      messages.showAll()
      const { faults } = refresh()
      messages.summarize(faults)
      return faults.length === 0
    },
    refuse: detail => messages.summarize([{ pointer: '', detail, path: [] }]),
  })
  refresh()
}

document.documentElement.classList.add('has-script')
const page = readPage(document)
if (page && page.root.dataset.ready === undefined) {
  page.root.dataset.ready = ''
  enliven(page)
}
