// The page on which a client of a tenant signs in.
import { useState } from 'preact/hooks'
import { type Scope, signIn } from '../session.js'

const fields = [
  { name: 'tenant', label: 'Tenant', autocomplete: 'organization' },
  { name: 'client', label: 'Client', autocomplete: 'username' },
  { name: 'secret', label: 'Secret', autocomplete: 'current-password', type: 'password' },
] as const

const scopes: readonly { scope: Scope; label: string }[] = [
  { scope: 'FrameApi', label: 'My tenant' },
  { scope: 'PlatformAdmin', label: 'All tenants of the installation' },
]

export function SignInPage() {
  const [refusal, setRefusal] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const send = async (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const [tenantKey = '', clientId = '', clientSecret = ''] = fields.map(({ name }) => String(given.get(name)))
    const { scope } = scopes.find(each => each.scope === given.get('scope')) ?? { scope: 'FrameApi' }
    setBusy(true)
    setRefusal(await signIn({ tenantKey, clientId, clientSecret, scope }))
    setBusy(false)
  }
  return (
    <main class="sign-in">
      <h1>Armature</h1>
      <p>Sign in with a client. What it may see and do is what its permissions say.</p>
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
        <fieldset>
          <legend>Look after</legend>
          {scopes.map(({ scope, label }, n) => (
            <label key={scope}>
              <input type="radio" name="scope" value={scope} defaultChecked={n === 0} /> {label}
            </label>
          ))}
        </fieldset>
        <button type="submit" disabled={isBusy}>
          Sign in
        </button>
      </form>
    </main>
  )
}
