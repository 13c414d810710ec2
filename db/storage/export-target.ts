// The interface of destinations for exports, which a directory and a bucket implement, and the names by which a manifest chooses one.

/** A destination for files of exports. Files are streamed and never held in memory as a whole. */
export interface ExportTarget {
  /** Identifies the destination, and stays the same when the process restarts. */
  name: string
  /**
   * Writes or overwrites a file. Under its name there is only ever a complete file, even if the process is killed while
   * writing.
   * @param folder a path that is safe on every system, such as `tenant/visits/20261122T071500123Z`.
   * @throws Problem 503 if the destination is unavailable or denies access; any error of the content.
   */
  write(folder: string, name: string, content: AsyncIterable<Buffer>): Promise<void>
  /**
   * Removes a folder with all that is below it. It is no error if there is none.
   * @throws Problem 503 if the destination is unavailable or denies access.
   */
  removeAll(folder: string): Promise<void>
}

/** The folder of archives of tenants. It is the key of no tenant, so that the deletion of none removes it. */
export const archiveFolder = 'tenants.archived'

/** The destinations of exports that a manifest can name. */
export const exportDestinations = ['directory', 's3'] as const

export type ExportDestination = (typeof exportDestinations)[number]
