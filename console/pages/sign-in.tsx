// The page on which a client of a tenant signs in.
import { useState } from 'preact/hooks'
import { type Part, signIn } from '../session.js'

const fields = [
  { name: 'tenant', label: 'Tenant', autocomplete: 'organization' },
  { name: 'client', label: 'Client', autocomplete: 'username' },
  { name: 'secret', label: 'Secret', autocomplete: 'current-password', type: 'password' },
] as const

const parts: readonly { part: Part; label: string }[] = [
  { part: 'tenant', label: 'My tenant' },
  { part: 'platform', label: 'All tenants of the installation' },
]

export function SignInPage() {
  const [refusal, setRefusal] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const send = async (event: SubmitEvent & { currentTarget: HTMLFormElement }) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    const [tenantKey = '', clientId = '', clientSecret = ''] = fields.map(({ name }) => String(given.get(name)))
    const { part } = parts.find(each => each.part === given.get('part')) ?? { part: 'tenant' }
    setBusy(true)
    setRefusal(await signIn({ tenantKey, clientId, clientSecret, part }))
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
          {parts.map(({ part, label }, n) => (
            <label key={part}>
              <input type="radio" name="part" value={part} defaultChecked={n === 0} /> {label}
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
