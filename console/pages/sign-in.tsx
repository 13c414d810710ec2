// The page on which a client of a tenant signs in.
import { useState } from 'preact/hooks'
import { signIn } from '../session.js'

const fields = [
  { name: 'tenant', label: 'Tenant', autocomplete: 'organization' },
  { name: 'client', label: 'Client', autocomplete: 'username' },
  { name: 'secret', label: 'Secret', autocomplete: 'current-password', type: 'password' },
] as const

export function SignInPage() {
  const [refusal, setRefusal] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const send = async (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const [tenant, client, secret] = fields.map(({ name }) => String(given.get(name)))
    setBusy(true)
    setRefusal(await signIn(tenant ?? '', client ?? '', secret ?? ''))
    setBusy(false)
  }
  return (
    <main class="sign-in">
      <h1>Armature</h1>
      <p>Sign in with a client of your tenant. What it may see and do is what its permissions say.</p>
      {refusal && (
        <p class="refusal" role="alert">
          {refusal}
        </p>
      )}
      <form onSubmit={send}>
        {fields.map(({ name, label, autocomplete, ...more }) => (
          <label key={name}>
            {label}
            <input name={name} required autocomplete={autocomplete} {...more} />
          </label>
        ))}
        <button type="submit" disabled={isBusy}>
          Sign in
        </button>
      </form>
    </main>
  )
}
