// The heading of a page, which also names its tab and history entry.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { useLocation } from 'preact-iso'

/** The path of the page that was shown last. */
let shown: string | undefined

/**
 * Shows the heading. It takes the focus when another page has led here, so that a screen reader says where one is.
 * @param name what the tab is called.
 */
export function Title({ name, children }: { name: string; children?: ComponentChildren }) {
  const { path } = useLocation()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${name} · Armature`
  }, [name])
  useEffect(() => {
    if (shown !== undefined && shown !== path) heading.current?.focus()
    shown = path
  }, [path])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children ?? name}
    </h1>
  )
}
