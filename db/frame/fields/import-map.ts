/** A named map from columns to fields in a tenant's manifest, for imports to refer to. */
export interface ImportMap {
  key: string
  /** The field of each column; '' if the column is not read. */
  columns: Record<string, string>
}
