// Implements the activity `validateToken`.
import { ApplicationFailure } from '@temporalio/common'
import type { TokenCheck } from '../../workflows/glue/contracts.js'
import type { TokenValidator, VerifiedToken } from './validate-token.js'
import { TokenRefused } from './verify-token.js'

export const tokenActivities = (
  { tokens }: { tokens: TokenValidator },
  validateOfUser: (check: TokenCheck) => Promise<void>,
) => ({
  /**
   * Validates a caller's token for a workflow that uses it later. The argument is a token of the platform, or a check of a
   * user's token by the methods of an endpoint. A refused token is not retried.
   * @returns the claims of a platform token; undefined for a user's token.
   */
  async validateToken(token: string | TokenCheck): Promise<VerifiedToken | undefined> {
    if (typeof token !== 'string') {
      await validateOfUser(token)
      return undefined
    }
    try {
      return await tokens.validate(token)
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      throw ApplicationFailure.nonRetryable(error.message, `token-${error.reason}`)
    }
  },
})
