// Streams files to and from an S3 bucket.
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  NoSuchKey,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { SpanKind } from '@opentelemetry/api'
import type { S3Config } from '../../runtime/config.js'
import { unavailable } from '../../runtime/problem.js'
import { inSpan } from '../../runtime/tracing.js'

/** S3 takes no smaller part but the last; two of them is what an upload holds in memory. It takes 10,000 parts, so 50 GB. */
const partBytes = 5 * 1024 * 1024

/**
 * An error of S3 means that it is away or does not let us in: both are for its operators, and are Problem 503.
 * @param what the bucket is for, as that problem names it.
 */
export function createBucket({ bucket, endpoint, region, credentials }: S3Config, what: string) {
  const client = new S3Client({
    region,
    // Not every service understands Amazon's checksums; whoever writes here keeps a SHA-256 elsewhere.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Callers wait: a service that hangs is given up soon enough for a 503.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 8_000 },
    maxAttempts: 2,
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(credentials ? { credentials } : {}),
  })
  client.middlewareStack.add(
    (next, { commandName }) =>
      call =>
        inSpan('S3', spanOf(commandName), () => next(call)),
    { step: 'initialize', name: 'span' },
  )
  const objectOf = (key: string) => ({ Bucket: bucket, Key: key })
  const away = (error: unknown) => unavailable(what, error)
  // An object that is gone does not come back by trying again.
  const refused = (error: unknown): never => {
    throw error instanceof NoSuchKey ? error : away(error)
  }

  return {
    /** Takes the content as fast as it can be sent. The object is there when this resolves, and not before. */
    async write(key: string, type: string, content: AsyncIterable<Buffer>): Promise<void> {
      const body = Readable.from(content, { objectMode: false })
      const params = { ...objectOf(key), Body: body, ContentType: type }
      const upload = new Upload({ client, params, partSize: partBytes, queueSize: 1 })
      try {
        await upload.done()
      } catch (error) {
        // An error of the content stays that error.
        throw error === body.errored ? error : away(error)
      }
    },

    /** @param from the first byte that is wanted. */
    async read(key: string, from = 0): Promise<AsyncIterable<Uint8Array>> {
      const range = from > 0 ? { Range: `bytes=${from}-` } : {}
      const { Body } = await client.send(new GetObjectCommand({ ...objectOf(key), ...range })).catch(refused)
      if (!(Body instanceof Readable)) throw new Error(`The object ${key} has no content`)
      return Body
    },

    /** Gives up what was begun to be written and not ended, as by a process that was killed. */
    async dropUploads(key: string): Promise<void> {
      const begun = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key })
      const { Uploads = [] } = await client.send(begun).catch(refused)
      for (const { Key, UploadId } of Uploads) {
        if (Key !== key) continue
        await client.send(new AbortMultipartUploadCommand({ ...objectOf(key), UploadId })).catch(refused)
      }
    },

    /** Nothing there is no error. */
    async remove(key: string): Promise<void> {
      await client.send(new DeleteObjectCommand(objectOf(key))).catch(refused)
    },
  }
}

/** Of a call. The key of the object stays away: it may have the id of a person. */
const spanOf = (commandName = '') => ({
  kind: SpanKind.CLIENT,
  attributes: { 'rpc.system': 'aws-api', 'rpc.service': 'S3', 'rpc.method': commandName.replace(/Command$/, '') },
})
