import { extname } from 'node:path'
import type { Config, S3Config } from '../../runtime/config.js'
import type { ExportDestination } from '../forms/templates/settings.js'
import { createBucket } from './bucket.js'
import { directoryPlace } from './directory.js'

/** Where files of exports go. None of them is ever whole in memory. */
export interface ExportPlace {
  /** Tells this place from others, from one start of the process to the next. */
  name: string
  /**
   * Writes a file, or writes it again: under its name there is the whole file or none, whatever kills this in the middle.
   * @param folder of names that are safe in paths, such as `tenant/visits/20261122T071500123Z`.
   * @throws Problem 503 while the place is away or does not let us in; what the content throws.
   */
  write(folder: string, name: string, content: AsyncIterable<Buffer>): Promise<void>
}

/** The environment variables that name them. */
export const exportSettings = {
  directory: 'EXPORT_DIRECTORY',
  s3: 'EXPORT_BUCKET',
} as const satisfies Record<ExportDestination, string>

/** The places that this installation has. */
export type ExportPlaces = Record<ExportDestination, ExportPlace | undefined>

export const createExportPlaces = ({ exports: { directory, s3 } }: Pick<Config, 'exports'>): ExportPlaces => ({
  directory: directory === undefined ? undefined : directoryPlace(directory),
  s3: s3 && bucketPlace(s3),
})

function bucketPlace(config: S3Config): ExportPlace {
  const bucket = createBucket(config, 'The bucket for exports')
  return {
    name: `s3 ${config.endpoint ?? 'amazon'} ${config.bucket}`,
    async write(folder, name, content) {
      const key = `${folder}/${name}`
      await bucket.dropUploads(key)
      await bucket.write(key, typeOf(name), content)
    },
  }
}

const typeOf = (name: string): string =>
  ({ '.gz': 'application/gzip', '.json': 'application/json' })[extname(name)] ?? 'text/plain; charset=utf-8'
