import { describe, expect, test } from 'vitest'
import type { RangeResponse } from '../../../src/engine/stages/range/range-transport'
import { followRedirects, sameOriginUrl } from '../../../src/service/http/redirect-policy'

const from = 'https://feed.test/buy/feed/v1/file?limit=20'

describe('fault 84: links', () => {
  test.each([
    'https://evil.test/file',
    'https://feed.test:8443/file',
    'http://feed.test/file',
    'https://user@feed.test/file',
    'https://user:pw@feed.test/file',
    'https://feed.test@evil.test/',
    '//evil.test/file',
    '\\\\evil.test\\file',
    'https://feed.test.evil.test/',
    'javascript:alert(1)',
    'data:text/plain,x',
    'blob:https://feed.test/file',
    'http://',
  ])('fault 84: %s is refused', link => {
    expect(() => sameOriginUrl(from, link)).toThrow(
      expect.objectContaining({ code: 'HTTP_ORIGIN_REFUSED' }),
    )
  })

  test('fault 84: the refusal shows no user info', () => {
    expect(() =>
      sameOriginUrl('https://me:mine@feed.test/', 'https://user:pw@evil.test/file'),
    ).toThrow(
      expect.objectContaining({
        context: { from: 'https://feed.test/', to: 'https://evil.test/file' },
      }),
    )
  })

  test('relative and absolute links within the origin are followed', () => {
    expect(sameOriginUrl(from, 'https://FEED.test:443/other?a=1').href).toBe(
      'https://feed.test/other?a=1',
    )
    expect(sameOriginUrl(from, '/file?continuation_token=x').href).toBe(
      'https://feed.test/file?continuation_token=x',
    )
    expect(sameOriginUrl(from, '?limit=30').href).toBe(
      'https://feed.test/buy/feed/v1/file?limit=30',
    )
  })
})

describe('redirects', () => {
  const hop = (
    status: number,
    location: string | undefined,
    onDiscard = () => {},
  ): RangeResponse => ({
    status,
    header: name => (name === 'location' ? location : undefined),
    body: (async function* () {})(),
    discard: onDiscard,
  })

  test('are followed within the origin, each response discarded', async () => {
    const sent: string[] = []
    let discarded = 0
    const response = await followRedirects({ url: 'https://feed.test/0' }, async url => {
      sent.push(url.href)
      const status = [301, 302, 303, 307, 308, 200][sent.length - 1] ?? 500
      return hop(status, `/${sent.length}`, () => discarded++)
    })
    expect(response.status).toBe(200)
    expect(sent).toEqual([0, 1, 2, 3, 4, 5].map(at => `https://feed.test/${at}`))
    expect(discarded).toBe(5)
  })

  test('fault 84: end with an error after a loop', async () => {
    let sent = 0
    const looping = followRedirects({ url: 'https://feed.test/a' }, async () =>
      hop(302, ++sent % 2 ? '/b' : '/a'),
    )
    await expect(looping).rejects.toMatchObject({
      code: 'HTTP_REDIRECT_LOOP',
      context: { url: 'https://feed.test/a', hops: 5 },
    })
    expect(sent).toBe(6)
  })

  test('fault 84: to a refused target send nothing', async () => {
    const sent: string[] = []
    const refused = followRedirects({ url: 'https://feed.test/a' }, async url => {
      sent.push(url.href)
      return hop(302, 'https://evil.test/b')
    })
    await expect(refused).rejects.toMatchObject({ code: 'HTTP_ORIGIN_REFUSED' })
    expect(sent).toEqual(['https://feed.test/a'])
  })

  test('of a POST are its response, and it is sent once', async () => {
    let sent = 0
    const response = await followRedirects(
      { url: 'https://feed.test/a', method: 'POST' },
      async () => {
        sent++
        return hop(307, '/b')
      },
    )
    expect([response.status, sent]).toEqual([307, 1])
  })

  test('without a target are the response', async () => {
    expect(
      (await followRedirects({ url: 'https://feed.test/a' }, async () => hop(302, undefined)))
        .status,
    ).toBe(302)
    expect(
      (await followRedirects({ url: 'https://feed.test/a' }, async () => hop(304, '/b'))).status,
    ).toBe(304)
  })
})
