// Creates the destinations of exports that this installation has.
import { extname } from 'node:path'
import type { Config, S3Config } from '../../runtime/settings/config.js'
import { createBucket } from './bucket.js'
import { directoryTarget } from './directory.js'
import type { ExportDestination, ExportTarget } from './export-target.js'

/** The environment variable that configures each destination. */
export const exportSettings = {
  directory: 'EXPORT_DIRECTORY',
  s3: 'EXPORT_BUCKET',
} as const satisfies Record<ExportDestination, string>

/** The destinations; undefined for those that are not configured. */
export type ExportTargets = Record<ExportDestination, ExportTarget | undefined>

export const createExportTargets = ({ exports: { directory, s3 } }: Pick<Config, 'exports'>): ExportTargets => ({
  directory: directory === undefined ? undefined : directoryTarget(directory),
  s3: s3 && bucketTarget(s3),
})

function bucketTarget(config: S3Config): ExportTarget {
  const bucket = createBucket(config, 'The bucket for exports')
  return {
    name: `s3 ${config.endpoint ?? 'amazon'} ${config.bucket}`,
    async write(folder, name, content) {
      const key = `${folder}/${name}`
      await bucket.dropUploads(key)
      await bucket.write(key, typeOf(name), content)
    },
    removeAll: folder => bucket.removeAll(`${folder}/`),
  }
}

const typeOf = (name: string): string =>
  ({ '.gz': 'application/gzip', '.json': 'application/json', '.age': 'application/octet-stream' })[extname(name)] ??
  'text/plain; charset=utf-8'
