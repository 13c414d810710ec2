// Links between the pages lead to files that exist, and to headings that exist in them.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'

const pages = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' })
  .split('\n')
  .filter(page => page && page !== 'CHANGELOG.md' && existsSync(page))

/** The anchors that GitHub gives to the headings of a page. */
const anchorsOf = (page: string): string[] => {
  const prose = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  return [...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test.each(pages)('every link of %s leads somewhere', page => {
  const prose = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  const links = [...prose.matchAll(/\]\(([^):\s]*)\)/g)].map(([, link = '']) => link)
  const broken = links.filter(link => {
    const [path = '', anchor] = link.split('#')
    const target = path ? normalize(join(dirname(page), path)) : page
    if (!existsSync(target)) return true
    return anchor !== undefined && target.endsWith('.md') && !anchorsOf(target).includes(anchor)
  })
  expect(broken).toEqual([])
})
