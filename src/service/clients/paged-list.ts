// A list in pages, which is read as one sequence of elements or page by page. The field `next` of a
// page is the address of the next one (feed-file-catalog.md, sections 2.3, 2.5, 3.8 and 3.9).

import { asFeedError, FeedError, printableUrl } from '../../engine/index'
import { sameOriginUrl } from '../http/http-transport'

/** The part of a search response that paging needs. */
export interface SearchResponse {
  readonly next?: string | undefined
}

export interface Page<T, R> {
  /** The elements of the page, in order. */
  readonly items: readonly T[]
  /**
   * The token of the next page, for {@link PagedList.page}; undefined on the last page, and where
   * the link of the service has none.
   */
  readonly continuationToken: string | undefined
  /** The response of the service. */
  readonly response: R
}

/** No list of the service is near it. */
const MOST_PAGES = 10_000

export interface PagedListParts<T, R> {
  /** Returns the address of the first page, or of the page of a token. */
  url(continuationToken?: string): string
  fetch(url: string): Promise<R>
  items(response: R): readonly T[]
  /** Returns the error without secrets, which the links of the service may contain. */
  covered(error: FeedError): FeedError
}

/** A list in pages. A page is requested when it is read, and again at each reading. */
export class PagedList<T, R extends SearchResponse> implements AsyncIterable<T> {
  readonly #parts: PagedListParts<T, R>

  constructor(parts: PagedListParts<T, R>) {
    this.#parts = parts
  }

  /** Requests the first page, or the page of a token. */
  async page(continuationToken?: string): Promise<Page<T, R>> {
    return this.#pageAt(this.#parts.url(continuationToken))
  }

  /**
   * Reads all pages in order. Throws HTTP_ORIGIN_REFUSED for a link to another origin, to which
   * nothing is sent; HTTP_REDIRECT_LOOP for links that lead back or have no end; and what a
   * request of the list throws.
   */
  async *pages(): AsyncGenerator<Page<T, R>, void, void> {
    const seen = new Set<string>()
    for (let url: string | undefined = this.#parts.url(); url !== undefined; ) {
      const at: string = url
      if (seen.has(at) || seen.size >= MOST_PAGES) throw this.#parts.covered(endless(at, seen.size))
      seen.add(at)
      const page = await this.#pageAt(at)
      yield page
      const { next } = page.response
      url = next ? this.#follow(at, next) : undefined
    }
  }

  /** Reads the elements of all pages in order. Throws as {@link pages}. */
  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, void> {
    for await (const page of this.pages()) yield* page.items
  }

  /** Returns all elements as an array, which has to fit into memory. Throws as {@link pages}. */
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
