// Stores files in S3.
import type { S3Config } from '../../runtime/settings/config.js'
import { createBucket } from './bucket.js'
import type { FileKey, FileStorage } from './file-storage.js'

/** Creates a storage in a bucket, with the keys `records/<tenant>/<file>` and `imports/<tenant>/<file>`. */
export function s3Storage(config: S3Config): FileStorage {
  const bucket = createBucket(config, 'The file storage')
  return {
    write: (key, content) => bucket.write(keyOf(key), types[key.kind], content),
    read: (key, from) => bucket.read(keyOf(key), from),
    async remove(key) {
      await bucket.dropUploads(keyOf(key))
      await bucket.remove(keyOf(key))
    },
  }
}

const keyOf = ({ kind, tenantId, fileId }: FileKey): string => `${kind}s/${tenantId}/${fileId}`

const types = { record: 'application/pdf', import: 'application/octet-stream' }
