/** A named map from columns to fields in a tenant's manifest, for imports to refer to. */
export interface ImportMap {
  key: string
  /** What each column is for: the key of a field, '' if it is not read, or a field with the form of its cells. */
  columns: Record<string, string | MappedColumn>
}

/** The field of a column, with the form of its cells where it is not that of the API. */
export interface MappedColumn {
  field: string
  /** For dates, such as `dd.MM.yyyy`. */
  format?: string
  /** For numbers. */
  decimal?: ','
}

/** Returns the field of a mapped column, with its form. */
export const mappedColumn = (column: string | MappedColumn): MappedColumn =>
  typeof column === 'string' ? { field: column } : column
