// The activity `validateToken`.
import { ApplicationFailure } from '@temporalio/common'
import type { TokenCheck } from '../../workflows/glue/contracts.js'
import type { TokenValidator, VerifiedToken } from './validate-token.js'
import { TokenRefused } from './verify-token.js'

export const tokenActivities = (
  { tokens }: { tokens: TokenValidator },
  validateOfUser: (check: TokenCheck) => Promise<void>,
) => ({
  /**
   * Validates a caller's token for a workflow that uses it later: a token of the platform, or of a user by the
   * endpoint's methods. A refused token is final.
   */
  async validateToken(of: string | TokenCheck): Promise<VerifiedToken | undefined> {
    if (typeof of !== 'string') {
      await validateOfUser(of)
      return undefined
    }
    try {
      return await tokens.validate(of)
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      throw ApplicationFailure.nonRetryable(error.message, `token-${error.reason}`)
    }
  },
})
