// Runs the shell session of a page and compares its output.
import { spawn } from 'node:child_process'

/** A shell session from a Markdown text: the commands, and what their output must contain. */
export interface Session {
  script: string
  /** One entry per group of promise lines; all texts of a group are about the same output. */
  promises: string[][]
}

export interface SessionResult {
  exitCode: number | null
  /** Everything that was printed, standard error last. */
  output: string
  broken: { promise: string; printed: string }[]
}

// Each promise prints a mark, which separates the output of the commands before it from what follows.
const mark = '\u001e'

/**
 * The blocks of `markdown` that open with ```bash session, of which each goes on where the one before ended. In them a comment line
 * `# => text` promises that `text` stands in the output of the commands since the promise before it.
 */
export function readmeSession(markdown: string): Session {
  const blocks = [...markdown.matchAll(/^```bash session\n(.*?)^```$/gms)].map(match => match[1] ?? '')
  if (blocks.length === 0) throw new Error('There is no "bash session" block')
  const promises: string[][] = []
  const script = blocks.join('').replace(/(?:^# => .+\n)+/gm, lines => {
    promises.push(
      lines
        .trimEnd()
        .split('\n')
        .map(line => line.slice('# => '.length)),
    )
    return `printf '${mark}'\n`
  })
  return { script, promises }
}

/** Runs the session with `bash -e -o pipefail`: it ends at the first command that fails. */
export async function runSession(session: Session, environment: Record<string, string>): Promise<SessionResult> {
  const bash = spawn('bash', ['-e', '-o', 'pipefail', '-c', session.script], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  let complaints = ''
  bash.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text
  })
  bash.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  const exitCode = await new Promise<number | null>((resolve, reject) => bash.on('error', reject).on('close', resolve))

  // What follows the last mark answers to no promise; a promise whose mark was not reached is broken.
  const outputs = printed.split(mark).slice(0, -1)
  const broken = session.promises.flatMap((texts, index) => {
    const output = outputs[index]
    return texts
      .filter(text => !output?.includes(text))
      .map(promise => ({ promise, printed: output ?? '(not reached)' }))
  })
  return { exitCode, output: printed.replaceAll(mark, '') + complaints, broken }
}
