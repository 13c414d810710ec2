// The people who can sign in to the tenant, for its owner.
import { Accounts } from '../parts/accounts.js'
import { Title } from '../parts/title.js'
import { session } from '../session.js'

export const AccountsPage = () => (
  <>
    <Title name="Accounts" />
    <p>
      People who sign in here. What they may do is what their roles allow; a change takes effect within five seconds.
    </p>
    <Accounts tenantKey={session?.tenantKey ?? ''} />
  </>
)
