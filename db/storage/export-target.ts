/** Where files of exports go. None of them is ever whole in memory. */
export interface ExportTarget {
  /** Tells this place from others, from one start of the process to the next. */
  name: string
  /**
   * Writes a file, or writes it again: under its name there is the whole file or none, whatever kills this in the middle.
   * @param folder of names that are safe in paths, such as `tenant/visits/20261122T071500123Z`.
   * @throws Problem 503 while the place is away or does not let us in; what the content throws.
   */
  write(folder: string, name: string, content: AsyncIterable<Buffer>): Promise<void>
}
