// An answer that is JSON already, because its entries were written one by one.

/** JSON of an object whose last member is a list. */
export class JsonText {
  /**
   * @param members the members before the list.
   * @param entries the entries of the list, as JSON.
   */
  constructor(
    private readonly members: object,
    private readonly name: string,
    private readonly entries: readonly string[],
  ) {}

  toString(): string {
    const before = JSON.stringify(this.members).slice(0, -1)
    return `${before},"${this.name}":[${this.entries.join()}]}`
  }
}
