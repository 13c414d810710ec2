// Runs an S3 server in the process of a test.
import { EventEmitter, once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import S3rver from '@20minutes/s3rver'

const bucket = 'armature-files'

/** An S3 server. It checks signatures. */
export interface S3 {
  /** Settings for a process that is to store files here. */
  env: Record<string, string>
  /** Settings for a process that is to write exports here. */
  exportEnv: Record<string, string>
  /** Lists the keys of all objects. */
  objects(): Promise<string[]>
  /** Lists the keys of the multipart uploads that are neither complete nor aborted. */
  uploads(): Promise<string[]>
  /** Blocks the part with this number in multipart uploads until it is released. */
  hold(part: number): HeldPart
  /** With `true`, answers all further requests with 503. With `false`, serves requests again. */
  refuse(on: boolean): void
  stop(): Promise<void>
}

interface HeldPart {
  /** Resolves when the part is being sent. */
  arrived: Promise<unknown>
  open(): void
}

export async function startS3(): Promise<S3> {
  const directory = await mkdtemp(join(tmpdir(), 'armature-s3-'))
  const s3rver = new S3rver({ directory, silent: true, configureBuckets: [{ name: bucket, configs: [] }] })
  await s3rver.configureBuckets()
  const serve = s3rver.callback()
  const uploadsDir = s3rver.store.getResourcePath(bucket, undefined, 'uploads')
  let refused = false
  let held: { part: string; arrive(): unknown; opened: Promise<unknown> } | undefined

  const uploads = async () => {
    const ids = await readdir(uploadsDir).catch(() => [])
    // An object that is just being created or removed has no key.
    const keyOf = (id: string) => readFile(join(uploadsDir, id, 'key'), 'utf8').catch(() => undefined)
    const found = await Promise.all(ids.map(async id => ({ id, key: await keyOf(id) })))
    return found.flatMap(({ id, key }) => (key === undefined ? [] : [{ id, key }]))
  }

  const objects = async () => {
    const names = await readdir(join(directory, bucket), { recursive: true })
    return names.flatMap(name => /^(.*)\._S3rver_object$/.exec(name)?.[1] ?? [])
  }

  /**
   * Answers requests. S3rver can neither list nor abort multipart uploads, and refuses the signature of a list with a prefix, so these are
   * answered here as Amazon documents them.
   */
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x')
    const uploadId = searchParams.get('uploadId')
    if (refused) response.writeHead(503).end()
    else if (held && searchParams.get('partNumber') === held.part) {
      held.arrive()
      await held.opened
      // The sender may have been killed meanwhile.
      if (!request.destroyed) serve(request, response)
    } else if (request.method === 'DELETE' && uploadId) {
      const there = (await uploads()).some(({ id, key }) => id === uploadId && pathname === `/${bucket}/${key}`)
      await rm(join(uploadsDir, uploadId), { recursive: true, force: true })
      response.writeHead(there ? 204 : 404).end()
    } else if (request.method === 'GET' && searchParams.has('uploads')) {
      const found = (await uploads()).filter(({ key }) => key.startsWith(searchParams.get('prefix') ?? ''))
      const list = found.map(({ id, key }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`)
      const body = `<ListMultipartUploadsResult><Bucket>${bucket}</Bucket>${list.join('')}</ListMultipartUploadsResult>`
      response.writeHead(200, { 'content-type': 'application/xml' }).end(body)
    } else if (request.method === 'GET' && searchParams.has('list-type')) {
      const found = (await objects()).filter(key => key.startsWith(searchParams.get('prefix') ?? ''))
      const list = found.map(key => `<Contents><Key>${key}</Key></Contents>`)
      const body = `<ListBucketResult><Name>${bucket}</Name><IsTruncated>false</IsTruncated>${list.join('')}</ListBucketResult>`
      response.writeHead(200, { 'content-type': 'application/xml' }).end(body)
    } else serve(request, response)
  }

  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const access = {
    S3_ENDPOINT: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    S3_ACCESS_KEY_ID: 'S3RVER',
    S3_SECRET_ACCESS_KEY: 'S3RVER',
  }
  return {
    env: { ...access, RECORD_STORAGE: 's3', S3_BUCKET: bucket },
    exportEnv: { ...access, EXPORT_BUCKET: bucket },
    uploads: async () => (await uploads()).map(({ key }) => key),
    objects,
    hold(part) {
      const gate = new EventEmitter()
      const [arrived, opened] = [once(gate, 'arrived'), once(gate, 'opened')]
      held = { part: String(part), arrive: () => gate.emit('arrived'), opened }
      return {
        arrived,
        open() {
          held = undefined
          gate.emit('opened')
        },
      }
    },
    refuse(on) {
      refused = on
    },
    async stop() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      await rm(directory, { recursive: true, force: true })
    },
  }
}
