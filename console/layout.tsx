// What is around every page: where one is, who is signed in, and where else to go.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { at } from './parts/links.js'
import { Permissions, useOwnPermissions } from './permissions.js'
import { isOfPlatform, ownAccount, session, signOut } from './session.js'

/** The pages of a tenant: address, name, and permissions, any one of which lets a person see the page. */
const ofTenant = [
  ['', 'Attention', 'List:Job', 'View:DataSet', 'View:Webhook', 'View:SubjectAccessInvite'],
  ['jobs', 'Jobs', 'List:Job'],
  ['data-sets', 'Data sets', 'View:DataSet'],
  ['people', 'People', 'List:Subject'],
  ['audit', 'Audit', 'View:Audit'],
  ['accounts', 'Accounts', 'List:Account'],
] as const
const ofPlatform = [
  ['', 'Attention', 'List:Attention'],
  ['jobs', 'Jobs', 'List:PlatformJob'],
  ['tenants', 'Tenants', 'List:Tenant'],
  ['audit', 'Audit', 'View:PlatformAudit'],
] as const

/** The name of the product, which leads to the first page. */
export const Name = () => (
  <a class="name" href={at('')}>
    <img src="mark.svg" alt="" width="26" height="26" />
    <span>Armature</span>
  </a>
)

export function Layout({ children }: { children: ComponentChildren }) {
  const { path, route } = useLocation()
  const may = useOwnPermissions()
  const pages = (isOfPlatform ? ofPlatform : ofTenant).filter(([, , ...needed]) => may && needed.some(may))
  const nav = useRef<HTMLElement>(null)
  // On a phone the names of the pages are wider than the screen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path, pages.length])
  const isCurrent = (page: string) => (page === '' ? `${path}/` === at('') : path.startsWith(at(page)))
  // A person who may not see Attention is led from there to the first page of the navigation.
  const maySeeAttention = pages.some(([page]) => page === '')
  const leadsTo = isCurrent('') && !maySeeAttention ? pages[0]?.[0] : undefined
  useEffect(() => {
    if (leadsTo !== undefined) route(at(leadsTo), true)
  }, [leadsTo])
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <Name />
        <nav aria-label="Pages" ref={nav}>
          {pages.map(([page, name]) => (
            <a key={page} href={at(page)} aria-current={isCurrent(page) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <div class="who">
          <span title={session?.name}>{isOfPlatform ? 'All tenants' : session?.tenantKey}</span>
          {ownAccount && (
            <a href={ownAccount} title={session?.name} target="_self">
              Your account
            </a>
          )}
          <button type="button" class="quiet" onClick={() => void signOut()}>
            Sign out
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {may && leadsTo === undefined && <Permissions.Provider value={may}>{children}</Permissions.Provider>}
      </main>
    </>
  )
}
