// What code tries that has escaped from an interpreter in a confined process. Runs in place of the program of expressions.
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { Worker } from 'node:worker_threads'

const load = name => process.getBuiltinModule(name)

const attempts = {
  environment: () => process.env,
  readFile: path => readFileSync(path, 'latin1').length,
  environmentOfParent: () => readFileSync(`/proc/${process.ppid}/environ`).length,
  memoryOfParent: () => readFileSync(`/proc/${process.ppid}/maps`).length,
  writeFile: path => writeFileSync(path, 'x'),
  spawn: () => load('child_process').execFileSync('id').length,
  replaceProcess: () => process.execve('/usr/bin/id', ['id']),
  startThread: () => new Worker('0', { eval: true, execArgv: [] }).threadId,
  internals: () => typeof process.binding('fs'),
  nativeCode: path => process.dlopen({ exports: {} }, path),
  async database(path) {
    ;new (await import('node:sqlite')).DatabaseSync(path).exec('create table t (a)')
  },
  compile: () => new Function('return 1')(),
  debugger: () => load('inspector').open(0),
  async debuggerOfParent() {
    process.kill(process.ppid, 'SIGUSR1')
    await new Promise(resolve => setTimeout(resolve, 500))
    return (await fetch('http://127.0.0.1:9229/json/list')).status
  },
  async network() {
    const server = createServer(socket => socket.end())
    await new Promise((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
    const socket = connect(server.address().port, '127.0.0.1')
    await new Promise((resolve, reject) => socket.once('error', reject).once('connect', resolve))
    socket.destroy()
    server.close()
    return 'connected'
  },
}

process.on('message', async ({ input: [attempt, ...parameters] }) => {
  process.send({})
  try {
    process.send({ answer: { succeeded: (await attempts[attempt](...parameters)) ?? true } })
  } catch (error) {
    process.send({ answer: { refused: error.cause?.code ?? error.code ?? error.name } })
  }
})
