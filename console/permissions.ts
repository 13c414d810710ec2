// Reads the permissions of the person who has signed in, so that pages show only links and buttons that work. The API checks each call anyway.
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { api } from './api.js'
import { useReading } from './reading.js'

/** Tells whether a permission such as `Edit:Job` is granted. */
type May = (permission: string) => boolean

export const Permissions = createContext<May>(() => false)
export const useMay = (): May => useContext(Permissions)

/**
 * Reads the permissions. If they cannot be read everything is offered, and what is not allowed says so when it is tried.
 * @returns undefined until they are read.
 */
export function useOwnPermissions(): May | undefined {
  const { data, problem } = useReading(via => api.GET('/api/v1/permissions', { ...via }), [])
  if (problem) return () => true
  const granted = new Set(data?.permissions)
  return data && (permission => granted.has(permission))
}
