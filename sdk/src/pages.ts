/** One page of a list. `next_cursor` is null on the last one. */
export type Page<Item> = { data: Item[]; pagination: { next_cursor: string | null; has_more: boolean } }

/** A list: await it for its first page, or iterate over all of its items. */
export class Pages<Item, Whole extends Page<Item>> implements PromiseLike<Whole>, AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Whole>

  constructor(read: (cursor: string | undefined) => Promise<Whole>) {
    this.#read = read
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a list may be awaited for its first page
  then<One = Whole, Other = never>(
    done?: ((page: Whole) => One | PromiseLike<One>) | null,
    failed?: ((error: unknown) => Other | PromiseLike<Other>) | null,
  ): Promise<One | Other> {
    return this.#read(undefined).then(done, failed)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    let cursor: string | undefined
    do {
      const page = await this.#read(cursor)
      yield* page.data
      cursor = page.pagination.next_cursor ?? undefined
    } while (cursor !== undefined)
  }
}
