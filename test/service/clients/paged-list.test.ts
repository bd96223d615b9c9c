// Long: it lists thousands of pages.

import { describe, expect, test } from 'vitest'
import { FeedError } from '../../../src/engine/errors'
import { createFeedService, type FeedServiceOptions } from '../../../src/service/feed-service'
import { fetchTransport } from '../../../src/service/http/fetch-transport'
import { defineProfile } from '../../../src/service/profile'
import { FAST } from '../emulated'

const FILES = 'https://a.test/buy/feed/v1/file'

/** A catalog that answers requests for the list of files by `answer`. */
function listed(
  answer: (url: URL, index: number) => object | Response,
  options: FeedServiceOptions = {},
) {
  const asked: Request[] = []
  const hosts = new Set<string>()
  const transport = fetchTransport(request => {
    hosts.add(new URL(request.url).host)
    if (request.url.endsWith('/token'))
      return Response.json({ access_token: 'tok-4711', token_type: 'Bearer' })
    asked.push(request)
    const answered = answer(new URL(request.url), asked.length - 1)
    return answered instanceof Response ? answered : Response.json(answered)
  })
  const profile = defineProfile({
    baseUrl: 'https://a.test',
    tokenUrl: 'https://a.test/token',
    scopeBase: 's',
  })
  const { catalog } = createFeedService(
    profile,
    { clientId: 'c', clientSecret: 'secret' },
    { transport, ...FAST, ...options },
  )
  return {
    asked,
    hosts,
    list: catalog.getFiles({ marketplace: 'MKT_US', limit: 20 }),
    urls: () => asked.map(({ url }) => url),
  }
}

const file = (fileId: string) => ({ fileId })
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable(),
    (error: unknown) => (FeedError.is(error) ? error : expect.unreachable()),
  )

describe('all pages as one sequence', () => {
  const pages = (url: URL) => {
    const at = Number(url.searchParams.get('continuation_token') ?? 0)
    const next = at < 2 ? { next: `${FILES}?limit=20&continuation_token=${at + 1}` } : {}
    return { fileMetadata: [file(`f${at}a`), file(`f${at}b`)], total: 6, ...next }
  }
  const ids = ['f0a', 'f0b', 'f1a', 'f1b', 'f2a', 'f2b']

  test('elements come in order, and a page is requested when it is read', async () => {
    const { list, asked, urls } = listed(pages)
    expect(asked.length).toBe(0)
    const seen: string[] = []
    for await (const { fileId } of list) {
      seen.push(fileId)
      expect(asked.length).toBe(Math.ceil(seen.length / 2))
    }
    expect(seen).toEqual(ids)
    expect(urls()).toEqual([
      `${FILES}?limit=20`,
      `${FILES}?limit=20&continuation_token=1`,
      `${FILES}?limit=20&continuation_token=2`,
    ])
    expect(
      asked.every(
        ({ headers }) =>
          headers.get('x-mkt-c-marketplace-id') === 'MKT_US' && headers.has('authorization'),
      ),
    ).toBe(true)
    expect((await list.toArray()).map(({ fileId }) => fileId)).toEqual(ids)
  })

  test('a list can be read page by page, and one page by its token', async () => {
    const { list, urls } = listed(pages)
    const tokens: (string | undefined)[] = []
    for await (const { items, continuationToken, response } of list.pages()) {
      expect([items.length, response.total]).toEqual([2, 6])
      tokens.push(continuationToken)
    }
    expect(tokens).toEqual(['1', '2', undefined])
    const page = await list.page('2')
    expect(page.items).toEqual([file('f2a'), file('f2b')])
    expect(page.continuationToken).toBeUndefined()
    expect(urls().at(-1)).toBe(`${FILES}?limit=20&continuation_token=2`)
    expect((await list.page()).continuationToken).toBe('1')
  })

  test('links may be relative or empty, and pages empty or without content', async () => {
    const answers: object[] = [
      { fileMetadata: [], next: '?limit=20&continuation_token=1' },
      { fileMetadata: [file('f')], next: '' },
    ]
    const { list, urls } = listed((_, index) => answers[index]!)
    expect(await list.toArray()).toEqual([file('f')])
    expect(urls()[1]).toBe(`${FILES}?limit=20&continuation_token=1`)
    expect(await listed(() => new Response(null, { status: 204 })).list.toArray()).toEqual([])
  })

  test('a page may be longer than the number of arguments of a call', async () => {
    const { list } = listed(() => ({
      fileMetadata: Array.from({ length: 200_000 }, () => file('f')),
    }))
    expect((await list.toArray()).length).toBe(200_000)
  })
})

describe('fault 84: `next` links', () => {
  test.each([
    'https://evil.test/buy/feed/v1/file',
    'https://a.test:8443/buy/feed/v1/file',
    'http://a.test/buy/feed/v1/file',
    'https://user@a.test/buy/feed/v1/file',
    '//evil.test/x',
    'javascript:alert(1)',
  ])('fault 84: %s is refused with nothing sent, after the elements before it', async next => {
    const { list, asked, hosts } = listed(() => ({ fileMetadata: [file('f')], next }))
    const seen: string[] = []
    const reading = (async () => {
      for await (const { fileId } of list) seen.push(fileId)
    })()
    expect(await failureOf(reading)).toMatchObject({
      code: 'HTTP_ORIGIN_REFUSED',
      retryable: false,
    })
    expect(seen).toEqual(['f'])
    expect([asked.length, [...hosts]]).toEqual([1, ['a.test']])
  })

  test('fault 84: a redirect of a page to another origin is refused with nothing sent', async () => {
    const { list, hosts } = listed(
      () => new Response(null, { status: 302, headers: { location: 'https://evil.test/x' } }),
    )
    expect(await failureOf(list.toArray())).toMatchObject({ code: 'HTTP_ORIGIN_REFUSED' })
    expect([...hosts]).toEqual(['a.test'])
  })

  test.each([1, 2, 5])('fault 84: a loop of %i links ends with an error', async length => {
    const { list, asked } = listed((_, index) => ({
      fileMetadata: [],
      next: `${FILES}?continuation_token=${index % length}`,
    }))
    expect(await failureOf(list.toArray())).toMatchObject({
      code: 'HTTP_REDIRECT_LOOP',
      context: { hops: length + 1 },
    })
    expect(asked.length).toBe(length + 1)
  })

  test('fault 84: links without an end fail at the limit of pages', async () => {
    const { list, asked } = listed((_, index) => ({
      fileMetadata: [],
      next: `${FILES}?continuation_token=${index}`,
    }))
    expect(await failureOf(list.toArray())).toMatchObject({
      code: 'HTTP_REDIRECT_LOOP',
      context: { hops: 10_000 },
    })
    expect(asked.length).toBe(10_000)
  })
})
