// The error of settings that cannot be used, and how a process that has read them ends.

/** Settings cannot be used. The message is for the operator: it names each variable that is wrong and what it should be, and no secret. */
export class WrongSetting extends Error {
  override readonly name = 'WrongSetting'
}

/** Returns the settings that `read` reads. If they are wrong, prints why, and the process ends with 1. */
export function orExplain<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof WrongSetting)) throw error
    console.error(error.message)
    process.exit(1)
  }
}
