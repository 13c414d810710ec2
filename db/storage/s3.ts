// Keeps files in S3.
import type { S3Config } from '../../runtime/config.js'
import { createBucket } from './bucket.js'
import type { FileKey, FileStorage } from './file-storage.js'

/** Keeps files in a bucket, as `records/<tenant>/<file>`. */
export function s3Storage(config: S3Config): FileStorage {
  const bucket = createBucket(config, 'The file storage')
  const keyOf = ({ tenantId, fileId }: FileKey) => `records/${tenantId}/${fileId}`
  return {
    write: (key, content) => bucket.write(keyOf(key), 'application/pdf', content),
    read: key => bucket.read(keyOf(key)),
    async remove(key) {
      await bucket.dropUploads(keyOf(key))
      await bucket.remove(keyOf(key))
    },
  }
}
