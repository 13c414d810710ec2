// Rules for comments: each file has a head, and sentences are short and plain.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { projectRoot } from '../../dev/programs.js'

const rooms = [
  'client',
  'nexus',
  'server',
  'db',
  'activities',
  'workflows',
  'runtime',
  'forms',
  'browser',
  'dev',
  'scripts',
  'bench',
]
/** Its comments are descriptions of the API. */
const generated = ['client/api.ts']
const read = (...folders: string[]) =>
  execFileSync('git', ['ls-files', '--', ...folders], { cwd: projectRoot, encoding: 'utf8' })
    .split('\n')
    .filter(file => /\.m?ts$|\.mjs$/.test(file) && !generated.includes(file))
    .map(file => ({ file, text: readFileSync(join(projectRoot, file), 'utf8') }))
const sources = read(...rooms)

const [mostWords, mostWordsOfSentence] = [45, 25]

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean).length

/** Blocks of comments, without their marks; the parts after @param, @returns and @throws by themselves. */
const comments = sources.flatMap(({ file, text }) =>
  [...text.matchAll(/^[ \t]*\/\*\*([\s\S]*?)\*\/|(?:^[ \t]*\/\/.*\n?)+/gm)].map(match => ({
    at: `${file}:${text.slice(0, match.index).split('\n').length}`,
    parts: (match[1] ?? match[0].replace(/^[ \t]*\/\//gm, ''))
      .replace(/^[ \t]*\*/gm, '')
      .replace(/\s+/g, ' ')
      .split(/@(?:param|returns|throws)/)
      .map(part => part.trim()),
  })),
)
const sentences = comments.flatMap(({ at, parts }) =>
  parts.flatMap(part => part.split(/(?<=[.!?;:])\s+(?=[A-Z0-9`])/).map(sentence => ({ at, sentence }))),
)

test('comments are found at all', () => {
  expect(comments.length).toBeGreaterThan(1_000)
})

test('a file says in its first three lines what it is for', () => {
  const silent = [...sources, ...read('test')].filter(({ text }) => !/^(?:#!.*\n)?(?:\/\/ |\/\*\*)/.test(text))
  expect(silent.map(({ file }) => file)).toEqual([])
})

test(`no comment has over ${mostWords} words`, () => {
  expect(comments.filter(({ parts }) => wordsOf(parts[0] ?? '') > mostWords).map(({ at }) => at)).toEqual([])
})

test(`no sentence of a comment has over ${mostWordsOfSentence} words`, () => {
  const long = sentences.filter(({ sentence }) => wordsOf(sentence) > mostWordsOfSentence)
  expect(long.map(({ at, sentence }) => `${at} ${sentence}`)).toEqual([])
})

test('no sentence of a comment begins with Who, What or One that', () => {
  const vague = sentences.filter(({ sentence }) => /^(?:Whoever|Whatever|Who|What|One that|Of what)\b/.test(sentence))
  expect(vague.map(({ at, sentence }) => `${at} ${sentence}`)).toEqual([])
})
