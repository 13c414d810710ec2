// Decides whether a permission is among those that were granted.

/** Tells whether a permission such as `Edit:Subject` is granted, either itself or by `*`, `*:*`, `Edit:*` or `*:Subject`. */
export function isGranted(granted: ReadonlySet<string>, permission: string): boolean {
  const [action, resource] = permission.split(':')
  return [permission, '*', '*:*', `${action}:*`, `*:${resource}`].some(name => granted.has(name))
}
