// Keeps files in S3.
import type { S3Config } from '../../runtime/config.js'
import type { TenantId } from '../connect.js'
import { createBucket } from './bucket.js'
import type { FileKey, FileStorage } from './file-storage.js'

/**
 * Keeps files in a bucket, as `records/<tenant>/<file>` and `imports/<tenant>/<file>`.
 * @returns the storage, by the number of the tenant in the names; without one it is the tenant's own. Objects keep their names
 *   when a tenant moves to another cell.
 */
export function s3Storage(config: S3Config): (named?: TenantId) => FileStorage {
  const bucket = createBucket(config, 'The file storage')
  return named => inBucket(bucket, ({ kind, tenantId, fileId }) => `${kind}s/${named ?? tenantId}/${fileId}`)
}

function inBucket(bucket: ReturnType<typeof createBucket>, keyOf: (key: FileKey) => string): FileStorage {
  return {
    write: (key, content) => bucket.write(keyOf(key), types[key.kind], content),
    read: (key, from) => bucket.read(keyOf(key), from),
    async remove(key) {
      await bucket.dropUploads(keyOf(key))
      await bucket.remove(keyOf(key))
    },
  }
}

const types = { record: 'application/pdf', import: 'application/octet-stream' }
