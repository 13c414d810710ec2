import { ApplicationFailure } from '@temporalio/common'
import type { TokenValidator, VerifiedToken } from './validate-token.js'
import { TokenRefused } from './verify-token.js'

export const tokenActivities = ({ tokens }: { tokens: TokenValidator }) => ({
  /** The same validation as at the edge, for a workflow that uses a caller's token later. A refused token is final. */
  async validateToken(token: string): Promise<VerifiedToken> {
    try {
      return await tokens.validate(token)
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      throw ApplicationFailure.nonRetryable(error.message, `token-${error.reason}`)
    }
  },
})
