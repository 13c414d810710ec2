// The `completion` command, which prints a script by which a shell completes commands and options.
import { Argument, type Command } from 'commander'
import type { Shell } from './shell.js'

export function addCompletion(program: Command, { console }: Shell): void {
  program
    .command('completion')
    .description('Print a script that completes commands and options. For bash: eval "$(armature completion bash)"')
    .addArgument(new Argument('<shell>', 'which shell').choices(['bash', 'zsh']))
    .action((shell: 'bash' | 'zsh') => {
      console.log(`${shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''}${script(program)}`)
    })
}

/** Returns a script for bash. zsh runs it too. */
function script(program: Command): string {
  const words = wordsBelow(program, '')
  return `_armature() {
  local path='' word words
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in
      ${words.flatMap(([path]) => (path ? `'${path}'` : [])).join(' | ')}) path="$path $word" ;;
    esac
  done
  case "$path" in
${words.map(([path, names]) => `    '${path}') words='${names.join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _armature armature`
}

/** Lists what may follow each command, with the commands below it. @param path the names of the command, each behind a blank. */
function wordsBelow(command: Command, path: string): [path: string, names: string[]][] {
  const options = command.options.flatMap(({ long }) => long ?? [])
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  const names = [...command.commands.map(each => each.name()), ...choices, ...options, '--help']
  return [[path, names], ...command.commands.flatMap(each => wordsBelow(each, `${path} ${each.name()}`))]
}
