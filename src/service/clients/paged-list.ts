// A list that comes in pages: all of its elements as one sequence, or page by page. Follows
// feed-file-catalog.md, sections 2.3, 2.5, 3.8 and 3.9: `next` is the address of the next page.

import { printableUrl } from '../../codec/range/printable-url'
import { asFeedError, FeedError } from '../../errors'
import { sameOriginUrl } from '../http/redirect-policy'

/** The part of a search response that paging needs. */
interface SearchResponse {
  readonly next?: string | undefined
}

export interface Page<T, R> {
  readonly items: readonly T[]
  /**
   * For {@link PagedList.page}; undefined on the last page, and where the service's link carries
   * none.
   */
  readonly continuationToken: string | undefined
  /** The response as it came. */
  readonly response: R
}

export interface PagedListParts<T, R> {
  /** The address of the first page, or of the one that a token stands for. */
  url(continuationToken?: string): string
  fetch(url: string): Promise<R>
  items(response: R): readonly T[]
  readonly maxPages: number
  /** An error as it may be shown: links come from the server. */
  covered(error: FeedError): FeedError
}

/** Nothing is requested before it is read, and each reading requests anew. */
export class PagedList<T, R extends SearchResponse> implements AsyncIterable<T> {
  readonly #parts: PagedListParts<T, R>

  constructor(parts: PagedListParts<T, R>) {
    this.#parts = parts
  }

  /** One page: the first, or the one that a token of an earlier page stands for. */
  async page(continuationToken?: string): Promise<Page<T, R>> {
    return this.#pageAt(this.#parts.url(continuationToken))
  }

  /**
   * All pages in order. A link is followed within the origin of the page it stands on. Throws
   * HTTP_ORIGIN_REFUSED for another, with nothing sent, HTTP_REDIRECT_LOOP for links that lead back
   * or never end, and what a request of the list throws.
   */
  async *pages(): AsyncGenerator<Page<T, R>, void, void> {
    const seen = new Set<string>()
    for (let url: string | undefined = this.#parts.url(); url !== undefined; ) {
      const at: string = url
      if (seen.has(at) || seen.size >= this.#parts.maxPages)
        throw this.#parts.covered(endless(at, seen.size))
      seen.add(at)
      const page = await this.#pageAt(at)
      yield page
      const { next } = page.response
      url = next ? this.#follow(at, next) : undefined
    }
  }

  /** All elements of all pages in order. Throws as {@link pages}. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for await (const page of this.pages()) yield* page.items
  }

  /** All elements at once: for lists that fit into memory. Throws as {@link pages}. */
  async toArray(): Promise<T[]> {
    const all: T[] = []
    for await (const item of this) all.push(item)
    return all
  }

  #follow(from: string, next: string): string {
    try {
      return sameOriginUrl(from, next).href
    } catch (error) {
      throw this.#parts.covered(asFeedError(error, 'paged list'))
    }
  }

  async #pageAt(url: string): Promise<Page<T, R>> {
    const response = await this.#parts.fetch(url)
    const { next } = response
    const link = next && URL.canParse(next, url) ? new URL(next, url) : undefined
    return {
      items: this.#parts.items(response),
      continuationToken: link?.searchParams.get('continuation_token') ?? undefined,
      response,
    }
  }
}

function endless(url: string, hops: number): FeedError {
  return new FeedError('HTTP_REDIRECT_LOOP', `the links of the list do not end: ${hops} pages`, {
    url: printableUrl(url),
    hops,
  })
}
