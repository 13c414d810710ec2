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
   * The same validation as at the edge, for a workflow that uses a caller's token later: of a token of the platform, or of a
   * user's by the methods of the endpoint. A refused token is final.
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
