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
import type { S3Config } from '../../runtime/config.js'
import { unavailable } from '../../runtime/problem.js'
import type { FileKey, FileStorage } from './storage.js'

/** S3 takes no smaller part but the last; two of them is what an upload holds in memory. */
const partBytes = 5 * 1024 * 1024

/** Keeps files in a bucket of S3 or of a service that speaks its protocol, as `records/<tenant>/<file>`. */
export function s3Storage({ bucket, endpoint, region, credentials }: S3Config): FileStorage {
  const client = new S3Client({
    region,
    // Not every service understands Amazon's checksums; the SHA-256 of a file is kept in its row.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // Callers wait: a service that hangs is given up soon enough for a 503.
    requestHandler: { connectionTimeout: 5_000, socketTimeout: 8_000 },
    maxAttempts: 2,
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    ...(credentials ? { credentials } : {}),
  })
  const objectOf = ({ tenantId, fileId }: FileKey) => ({ Bucket: bucket, Key: `records/${tenantId}/${fileId}` })

  return {
    async write(key, content) {
      const body = Readable.from(content, { objectMode: false })
      const params = { ...objectOf(key), Body: body, ContentType: 'application/pdf' }
      const upload = new Upload({ client, params, partSize: partBytes, queueSize: 1 })
      try {
        await upload.done()
      } catch (error) {
        // What the content fails with stays what it is.
        throw error === body.errored ? error : away(error)
      }
    },

    async read(key) {
      const { Body } = await client.send(new GetObjectCommand(objectOf(key))).catch(refused)
      if (!(Body instanceof Readable)) throw new Error(`The object ${objectOf(key).Key} has no content`)
      return Body
    },

    async remove(key) {
      const object = objectOf(key)
      const begun = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: object.Key })
      const { Uploads = [] } = await client.send(begun).catch(refused)
      for (const { Key, UploadId } of Uploads) {
        if (Key !== object.Key) continue
        await client.send(new AbortMultipartUploadCommand({ ...object, UploadId })).catch(refused)
      }
      await client.send(new DeleteObjectCommand(object)).catch(refused)
    },
  }
}

/**
 * An error of S3 means that it is away or does not let us in: both are for its operators. An object that is gone does not
 * come back by trying again.
 */
const away = (error: unknown) => unavailable('The file storage', error)
const refused = (error: unknown): never => {
  throw error instanceof NoSuchKey ? error : away(error)
}
