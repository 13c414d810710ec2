// Streams files to and from an S3 bucket.
import { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  NoSuchKey,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { SpanKind } from '@opentelemetry/api'
import { inSpan } from '../../runtime/observe/tracing.js'
import { unavailable } from '../../runtime/problems/problem.js'
import type { S3Config } from '../../runtime/settings/config.js'

/**
 * The smallest part that S3 accepts. An upload holds two of them in memory; with at most 10,000 parts, a file can have
 * 50 GB.
 */
const partBytes = 5 * 1024 * 1024

/**
 * Creates a client for a bucket. Any error of S3 becomes Problem 503, since only the operators can help if S3 is
 * unavailable or denies access.
 * @param what the bucket is for, as that problem names it.
 */
export function createBucket({ bucket, endpoint, region, credentials }: S3Config, what: string) {
  const client = new S3Client({
    region,
    // Not every service supports Amazon's checksums. Those who write files store a SHA-256 elsewhere.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Callers are waiting, so a service that hangs must fail soon enough for a 503.
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
  // If an object does not exist, a retry would not help, so this is no 503.
  const refused = (error: unknown): never => {
    throw error instanceof NoSuchKey ? error : away(error)
  }

  return {
    /** Uploads the content as fast as it can be sent. The object becomes visible when this resolves, and not before. */
    async write(key: string, type: string, content: AsyncIterable<Buffer>): Promise<void> {
      const body = Readable.from(content, { objectMode: false })
      const params = { ...objectOf(key), Body: body, ContentType: type }
      const upload = new Upload({ client, params, partSize: partBytes, queueSize: 1 })
      try {
        await upload.done()
      } catch (error) {
        // Errors of the content itself are passed on unchanged.
        throw error === body.errored ? error : away(error)
      }
    },

    /**
     * Reads an object.
     * @param from position of the first byte.
     */
    async read(key: string, from = 0): Promise<AsyncIterable<Uint8Array>> {
      const range = from > 0 ? { Range: `bytes=${from}-` } : {}
      const { Body } = await client.send(new GetObjectCommand({ ...objectOf(key), ...range })).catch(refused)
      if (!(Body instanceof Readable)) throw new Error(`The object ${key} has no content`)
      return Body
    },

    /** Aborts unfinished uploads of an object, which a killed process may have left. */
    async dropUploads(key: string): Promise<void> {
      const begun = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key })
      const { Uploads = [] } = await client.send(begun).catch(refused)
      for (const { Key, UploadId } of Uploads) {
        if (Key !== key) continue
        await client.send(new AbortMultipartUploadCommand({ ...objectOf(key), UploadId })).catch(refused)
      }
    },

    /** Removes all objects whose keys have a prefix. */
    async removeAll(prefix: string): Promise<void> {
      const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })
      try {
        for await (const { Contents = [] } of pages) for (const { Key = '' } of Contents) await this.remove(Key)
      } catch (error) {
        throw away(error)
      }
    },

    /** Removes an object. It is no error if it does not exist. */
    async remove(key: string): Promise<void> {
      await client.send(new DeleteObjectCommand(objectOf(key))).catch(refused)
    },
  }
}

/** Describes a call for tracing. The object's key is left out because it may contain the id of a person. */
const spanOf = (commandName = '') => ({
  kind: SpanKind.CLIENT,
  attributes: { 'rpc.system': 'aws-api', 'rpc.service': 'S3', 'rpc.method': commandName.replace(/Command$/, '') },
})
