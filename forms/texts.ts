// Checks texts and translatable texts.
import { type Checked, memberOf, single, textOf, type Wrong, wrong } from './checked.js'
import { datetime } from './dates.js'
import { matches, maxMatchedLength } from './patterns.js'
import type { Control } from './template.js'

/** Longest text that a control takes if it sets no limit of its own, in characters. */
export const defaultMaxLength = 10_000

/**
 * Checks a text. Markup is not interpreted. Line ends become `\n`, as in XML; blanks at the ends are removed if the control has a
 * pattern.
 */
export function string(control: Control, given: unknown): Checked {
  const sent = textOf(given)
  if (sent === undefined) return wrong(control.dataType, 'It is not a text.')
  const text = normalize(control, sent)
  return textFault(control, text) ?? single(text)
}

const normalize = ({ pattern }: Control, sent: string): string => {
  const text = sent.replace(/\r\n?/g, '\n')
  return pattern === undefined ? text : text.trim()
}

/** Checks the length, characters and pattern of a text. Returns undefined if it is fine. */
export function textFault(
  { minLength = 0, maxLength = defaultMaxLength, pattern }: Control,
  text: string,
): Wrong | undefined {
  const max = pattern === undefined ? maxLength : Math.min(maxLength, maxMatchedLength)
  // Counting characters takes a copy, so a text that is far too long is measured in UTF-16 units.
  const length = text.length > 2 * max ? text.length : [...text].length
  if (length > max) return wrong('too-long', `It has ${counted(length)}; at most ${max} are allowed.`)
  if (length < minLength) return wrong('too-short', `It has ${counted(length)}; at least ${minLength} are needed.`)
  // XML 1.0 cannot hold these characters, so the form could never be delivered.
  if (/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(text))
    return wrong('characters', 'It has invisible control characters. Type it again.')
  if (pattern !== undefined && !matches(pattern, text)) return wrong('pattern', 'It does not have the required format.')
  return undefined
}

const counted = (count: number): string => `${count} character${count === 1 ? '' : 's'}`

/** Checks a text and, if there is one, its translation. The text is in the language of the form unless it says otherwise. */
export function translatableText(control: Control, given: unknown, language: string): Checked {
  const sent = textOf(memberOf(given, 'originalText') ?? given)
  if (sent === undefined) return wrong('translatable-text-value', 'It is not a text.')
  const originalText = normalize(control, sent)
  const others = ['translatedText', 'sourceLanguageCode', 'targetLanguageCode', 'translatedDateTime'] as const
  const members = others.map(name => memberOf(given, name) ?? undefined)
  const unreadable = others.find((_, n) => members[n] !== undefined && textOf(members[n]) === undefined)
  if (unreadable) return wrong('translatable-text-value', `${unreadable} is not a text.`)
  const [translatedText, sourceLanguageCode = language, target, at] = members.map(textOf)
  const targetLanguageCode = target ?? control.targetLanguage
  const moment = at === undefined ? undefined : datetime({ ...control, min: undefined, max: undefined }, at)
  const fault =
    textFault(control, originalText) ??
    (translatedText === undefined
      ? undefined
      : textFault({ ...control, minLength: 0, pattern: undefined }, translatedText)) ??
    languageFault('sourceLanguageCode', sourceLanguageCode) ??
    languageFault('targetLanguageCode', targetLanguageCode) ??
    (moment && 'code' in moment ? wrong('datetime', `translatedDateTime: ${moment.detail}`) : undefined)
  if (fault) return fault
  return {
    content: {
      type: 'translatable-text-value',
      originalText,
      ...(translatedText === undefined ? {} : { translatedText }),
      sourceLanguageCode,
      ...(targetLanguageCode === undefined ? {} : { targetLanguageCode }),
      ...(moment && 'content' in moment && moment.content.type === 'single-value'
        ? { translatedDateTime: utc(moment.content.value) }
        : {}),
    },
  }
}

/** Reads a date-time without a zone as UTC. Programs write it, so it is not local time. */
const utc = (moment: string): string => (moment.endsWith('Z') ? moment : new Date(`${moment}Z`).toISOString())

const languageFault = (name: string, code: string | undefined): Wrong | undefined =>
  code === undefined || /^[a-z]{2,8}(-[a-z\d]{1,8})*$/i.test(code)
    ? undefined
    : wrong('language', `${name} is not a language code such as en or pt-BR.`)
