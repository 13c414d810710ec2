// Runs the shell session of a page and compares its output.
import { spawn } from 'node:child_process'

/** A shell session from a Markdown text: the commands, and what their output must contain. */
export interface Session {
  script: string
  /** The texts of each group of adjacent promise lines, which are about the same output. */
  promises: string[][]
}

interface SessionResult {
  exitCode: number | null
  /** Everything that was printed, standard error last. */
  output: string
  broken: { promise: string; printed: string }[]
}

// Each promise prints a mark, which separates the output of the commands before it from what follows.
const mark = '\u001e'

/**
 * Reads the blocks that begin with ```bash session, which together form one session. A comment `# => text` promises that the commands
 * since the previous promise have printed `text`.
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

/** Runs the session with `bash -e -o pipefail`, so that it ends with the first command that fails. */
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

  // No promise is about the output after the last mark. A promise whose mark was not printed is broken.
  const outputs = printed.split(mark).slice(0, -1)
  const broken = session.promises.flatMap((texts, index) => {
    const output = outputs[index]
    return texts
      .filter(text => !output?.includes(text))
      .map(promise => ({ promise, printed: output ?? '(not reached)' }))
  })
  return { exitCode, output: printed.replaceAll(mark, '') + complaints, broken }
}
