/** The result of one step of an erasure, which works on one part of the data. */
export interface ErasedPart {
  /** How many rows, forms or files the step erased. */
  erased: number
  /** True if the part needs another step. */
  more: boolean
  /** Where the next step continues. Undefined if it starts the part from the beginning. */
  after?: string | undefined
}
