// A server that does nothing, in a process of its own: how long a call takes on this machine at this moment.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

const program = `
const server = require('node:http').createServer((_, answer) => answer.end('{}'))
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.once('disconnect', () => process.exit())`

/** Starts it. Like the API it is in a session of its own, because Linux divides processor time between sessions. */
export async function startBareServer() {
  const started = spawn(process.execPath, ['-e', program], {
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [port] = await once(started, 'message')
  return {
    call: async () => {
      await (await fetch(`http://127.0.0.1:${port}`)).text()
    },
    stop: () => started.kill(),
  }
}
