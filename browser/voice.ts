/** The place from which a form says aloud what has changed. It is there before anything is said, or it would not be heard. */
export function voiceOf(root: HTMLElement): (text: string) => void {
  const region = document.createElement('p')
  region.className = 'visually-hidden'
  region.setAttribute('role', 'status')
  root.append(region)
  return text => {
    region.textContent = text
  }
}
