// The result of one step of an erasure.

export interface ErasedPart {
  /** Rows, forms or files that it erased. */
  erased: number
  /** The part goes on. */
  more: boolean
  /** Where it goes on, unless it begins again. */
  after?: string | undefined
}
