/** States of a tenant that moves, in the cell that it leaves and in the one that it comes to. */
export const moveStates = [
  /** It works here, and its changes are noted. */
  'copying',
  /** It stands still. */
  'frozen',
  /** It is in the other cell. */
  'moved',
  /** It is not served yet. */
  'arriving',
  /** Its move is over, undone or given up. */
  'here',
  /** It came and was taken back. */
  'gone',
] as const
export type MoveState = (typeof moveStates)[number]
