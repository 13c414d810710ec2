// The `keys` command, which shows and rotates the signing keys.
import type { Command } from 'commander'
import { type Output, outputOption, written } from './output.js'
import { connectPlatform } from './platform-client.js'
import type { Shell } from './shell.js'

interface Options {
  output: Output
}

export function addKeys(program: Command, shell: Shell): void {
  const keys = program.command('keys').description('Show or rotate the keys that sign access tokens.')
  keys
    .command('list', { isDefault: true })
    .description('Show them.')
    .addOption(outputOption('table'))
    .action(async ({ output }: Options) => {
      const { client, said } = connectPlatform(shell.env)
      const { data } = await said(client.get(path))
      shell.console.log(written(data.keys, output))
    })
  keys
    .command('rotate')
    .description(
      'Add one. It signs in 15 minutes, and the one before is removed when its last token has expired. Nothing needs a restart.',
    )
    .addOption(outputOption('table'))
    .action(async ({ output }: Options) => {
      const { client, said } = connectPlatform(shell.env)
      const { data } = await said(client.post(path))
      shell.console.error('A key was added. Nothing else needs to be done.')
      shell.console.log(written(data.keys, output))
    })
}

const path = '/admin/v1/signingKeys'
