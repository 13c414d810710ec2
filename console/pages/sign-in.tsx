// The page for who is not signed in. The issuer asks for the password; this page only leads there, and takes up what comes back.
import { useEffect, useState } from 'preact/hooks'
import { Name } from '../layout.js'
import { finishSignIn, isComingBack, signIn } from '../session.js'

export function SignInPage() {
  const [refusal, setRefusal] = useState<string>()
  const [isBusy, setBusy] = useState(isComingBack)
  const attempt = async (step: () => Promise<void>) => {
    setBusy(true)
    await step().catch((error: unknown) => {
      setRefusal(error instanceof Error ? error.message : String(error))
      setBusy(false)
    })
  }
  useEffect(() => {
    if (isComingBack) void attempt(finishSignIn)
  }, [])
  return (
    <>
      <header>
        <Name />
      </header>
      <main class="sign-in">
        <h1>What waits for you</h1>
        {refusal && (
          <p class="refusal" role="alert">
            You are not signed in: {refusal}
          </p>
        )}
        <p>Sign in to see it. What you may see and do is what your roles say.</p>
        <button type="button" disabled={isBusy} onClick={() => void attempt(signIn)}>
          Sign in
        </button>
      </main>
    </>
  )
}
