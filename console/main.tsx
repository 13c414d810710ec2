// The console: pages for the people who look after a tenant, or after all of them. It is a client of the public API and knows nothing else.
import { render } from 'preact'
import { LocationProvider, Route, Router } from 'preact-iso'
import { Layout } from './layout.js'
import { AccountsPage } from './pages/accounts.js'
import { AttentionPage } from './pages/attention.js'
import { AuditPage } from './pages/audit.js'
import { DataSetPage } from './pages/data-set.js'
import { DataSetsPage } from './pages/data-sets.js'
import { JobPage } from './pages/job.js'
import { JobsPage } from './pages/jobs.js'
import { PeoplePage } from './pages/people.js'
import { PersonPage } from './pages/person.js'
import { SignInPage } from './pages/sign-in.js'
import { TenantPage } from './pages/tenant.js'
import { TenantsPage } from './pages/tenants.js'
import { at } from './parts/links.js'
import { Title } from './parts/title.js'
import { session } from './session.js'

function Console() {
  if (!session) return <SignInPage />
  return (
    <LocationProvider scope={at('')}>
      <Layout>
        <Router>
          <Route path={at('')} component={AttentionPage} />
          <Route path={at('jobs')} component={JobsPage} />
          <Route path={at('jobs/:jobId')} component={JobPage} />
          <Route path={at('data-sets')} component={DataSetsPage} />
          <Route path={at('data-sets/:dataSet')} component={DataSetPage} />
          <Route path={at('people')} component={PeoplePage} />
          <Route path={at('people/:person')} component={PersonPage} />
          <Route path={at('audit')} component={AuditPage} />
          <Route path={at('accounts')} component={AccountsPage} />
          <Route path={at('tenants')} component={TenantsPage} />
          <Route path={at('tenants/:tenant')} component={TenantPage} />
          <Route default component={NoPage} />
        </Router>
      </Layout>
    </LocationProvider>
  )
}

const NoPage = () => (
  <>
    <Title name="There is no such page" />
    <p>
      Begin with what <a href={at('')}>waits for you</a>.
    </p>
  </>
)

const place = document.getElementById('console')
if (place) render(<Console />, place)
