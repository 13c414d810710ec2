// Measures the validation of tokens.
import { hash } from 'node:crypto'
import { createTokenValidator } from '../activities/auth/validate-token.js'
import { audience, startIssuer } from '../test/support/issuer.js'

/** Microseconds per call, as the median of all rounds. The floor of a cached token is computing its SHA-256. */
export interface TokenValidationFigures {
  floor: number
  cached: number
  fresh: number
}

/** Measures token validation against a real issuer on loopback. */
export async function measureTokenValidation(rounds = 15): Promise<TokenValidationFigures> {
  const issuer = await startIssuer()
  try {
    const validator = createTokenValidator({ authority: issuer.issuer, audience })
    const token = await issuer.token()
    const others = await Promise.all(Array.from({ length: rounds * 20 }, (_, n) => issuer.token({ jti: String(n) })))
    await validator.validate(token)
    return {
      floor: await median(rounds, 5_000, async () => hash('sha256', token, 'base64url')),
      cached: await median(rounds, 5_000, () => validator.validate(token)),
      fresh: await median(rounds, 20, async () => validator.validate(others.pop() ?? token)),
    }
  } finally {
    await issuer.stop()
  }
}

async function median(rounds: number, calls: number, call: () => Promise<unknown>): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const start = performance.now()
    for (let n = 0; n < calls; n++) await call()
    times.push(((performance.now() - start) * 1000) / calls)
  }
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
}
