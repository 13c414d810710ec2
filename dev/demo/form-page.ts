// Reads and posts a form's page as a browser does.
import { DemoError } from './client.js'
import { requested } from './requests.js'

/** The parts of a form's page that a browser sends back. */
export interface FormPage {
  action: URL
  hidden: [name: string, value: string][]
}

/** Opens the page of a form. */
export async function openForm(url: URL): Promise<FormPage> {
  const text = await (await requested(url)).text()
  const [, action] = /<form\b[^>]*\baction="([^"]*)"/.exec(text) ?? []
  if (action === undefined) throw new DemoError(`${url} shows no form.`, [text.slice(0, 500)], 'Is this Armature?')
  const hidden = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  return {
    action: new URL(unescaped(action), url),
    hidden: hidden.map(([, name = '', value = '']) => [unescaped(name), unescaped(value)]),
  }
}

/**
 * Sends a form as its button does. This is safe to repeat if no answer came, because a hidden field identifies the form.
 * @returns the address of the page that confirms it.
 */
export async function sendForm({ action, hidden }: FormPage, answers: Readonly<Record<string, string>>): Promise<URL> {
  const body = new FormData()
  const fields: [string, string][] = [...hidden, ...Object.entries(answers), ['action', 'send']]
  for (const [name, value] of fields) body.append(name, value)
  const headers = { accept: 'text/html' }
  const answer = await requested(action, { method: 'POST', headers, body })
  const location = answer.headers.get('location')
  if (answer.status !== 303 || location === null) {
    throw new DemoError(
      `${action} was answered with ${answer.status}.`,
      [(await answer.text()).slice(0, 500)],
      'Is this Armature?',
    )
  }
  return new URL(location, action)
}

const characters: Record<string, string> = {
  '&quot;': '"',
  '&#34;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
}
const unescaped = (text: string): string =>
  text.replace(/&(?:quot|#34|#39|lt|gt|amp);/g, found => characters[found] ?? found)
