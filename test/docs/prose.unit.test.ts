// Rules for the prose of README and docs: short sentences that name their subject.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const pagesIn = (folder: string) =>
  readdirSync(folder).flatMap(name => (name.endsWith('.md') ? `${folder}/${name}` : []))
const pages = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pagesIn('docs'), ...pagesIn('docs/decisions')]

const mostWords = 25

/** Paragraphs, entries of lists and cells of tables, without code blocks and addresses of links. */
const blocksOf = (page: string): string[] =>
  page
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/\]\([^)]*\)/g, ']')
    .split(/\n\s*\n/)
    .flatMap(block => (/^\s*\|/.test(block) ? block.split(/[|\n]/) : block.split(/\n(?=\s*(?:[-*]|\d+\.) )/)))

/** Sentences, and the parts of one between semicolons; a sentence begins with a capital, a digit, a mark of code or a link. */
const sentencesOf = (block: string): string[] =>
  block
    .replace(/\s+/g, ' ')
    .split(/(?<=[.!?:]|\.\*\*) (?=[A-Z0-9`*"([])|(?<=;) /)
    .map(sentence => sentence.replace(/^[\s*#>-]*(?:\d+\. )?/, ''))

const wordsOf = (sentence: string) => sentence.split(' ').filter(word => /\w/.test(word)).length

test('the rules see long sentences and vague subjects', () => {
  const sentences = blocksOf('One. Two;\nthree\n\n- four\n- What is five.\n\n```\ncode\n```').flatMap(sentencesOf)
  expect(sentences).toEqual(['One.', 'Two;', 'three', 'four', 'What is five.', ''])
})

test.each(pages)(`no sentence of %s has over ${mostWords} words, or begins with Who, What or One that`, page => {
  const sentences = blocksOf(readFileSync(page, 'utf8')).flatMap(sentencesOf)
  const long = sentences.filter(sentence => wordsOf(sentence) > mostWords)
  const vague = sentences.filter(sentence => /^(?:Whoever|Whatever|Who|What|One that|Of what)\b(?!.*\?)/.test(sentence))
  expect([...long, ...vague]).toEqual([])
})

test.each(pages)('no text of %s breaks off, and none of its links lacks an address', page => {
  const prose = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  const brokenOff = blocksOf(prose).filter(block => /^(?!\s*(?:[-*]|\d+\.) )[\s\S]*[;,]\s*$/.test(block))
  const pointless = prose.replace(/`[^`]*`/g, '').match(/\[[^\]]+\](?!\()/g) ?? []
  expect([...brokenOff, ...pointless]).toEqual([])
})
