/**
 * Creates a live region and returns the function that lets screen readers announce a text. The region must exist before its first
 * text, because they do not announce a region that appears together with its text.
 */
export function voiceOf(root: HTMLElement): (text: string) => void {
  const region = document.createElement('p')
  region.className = 'visually-hidden'
  region.setAttribute('role', 'status')
  root.append(region)
  return text => {
    region.textContent = text
  }
}
