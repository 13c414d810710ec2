// What is around every page: where one is, who is signed in, and where else to go.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { at } from './parts/links.js'
import { isOfPlatform, ownAccount, session, signOut } from './session.js'

const ofTenant = [
  ['', 'Attention'],
  ['jobs', 'Jobs'],
  ['data-sets', 'Data sets'],
  ['people', 'People'],
  ['audit', 'Audit'],
  ['accounts', 'Accounts'],
] as const
const ofPlatform = [
  ['', 'Attention'],
  ['jobs', 'Jobs'],
  ['tenants', 'Tenants'],
  ['audit', 'Audit'],
] as const

/** The name of the product, which leads to the first page. */
export const Name = () => (
  <a class="name" href={at('')}>
    <img src="mark.svg" alt="" width="26" height="26" />
    <span>Armature</span>
  </a>
)

export function Layout({ children }: { children: ComponentChildren }) {
  const { path } = useLocation()
  const nav = useRef<HTMLElement>(null)
  // On a phone the names of the pages are wider than the screen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [path])
  const isCurrent = (page: string) => (page === '' ? `${path}/` === at('') : path.startsWith(at(page)))
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <Name />
        <nav aria-label="Pages" ref={nav}>
          {(isOfPlatform ? ofPlatform : ofTenant).map(([page, name]) => (
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
        {children}
      </main>
    </>
  )
}
