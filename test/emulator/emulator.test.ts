import { describe, expect, test } from 'vitest'
import { createEmulator, createWorld, type EmulatorOptions } from '../../src/emulator'
import { bodyOf, client, token } from './emulator-client'

const ITEM = '/item?feed_scope=ALL_ACTIVE&category_id=220'

describe('emulator', () => {
  test('two emulators of one seed send the same bytes', async () => {
    const send = async (seed: number) => {
      const { emulator, get } = await client({ world: { seed, items: 500 } })
      const bytes = await bodyOf(await get(ITEM, { range: 'bytes=0-9999999' }))
      await emulator.close()
      return bytes.toString('base64')
    }
    expect(await send(7)).toBe(await send(7))
    expect(await send(7)).not.toBe(await send(8))
  })

  test('fault 157: every answer has the Date of its own clock, in process and on a socket', async () => {
    let now = new Date('2026-03-01T12:00:00Z')
    const world = { seed: 1, items: 5, start: new Date('2026-03-01T07:00:00Z'), hours: 6 }
    const emulator = createEmulator({ world, now: () => now })
    const { url } = await emulator.listen()
    for (const time of ['2026-03-01T12:00:00Z', '2026-03-01T12:34:56Z']) {
      now = new Date(time)
      const path = `${emulator.feedBasePath}${ITEM}`
      for (const answer of [
        await emulator.fetch(`http://emulator${path}`),
        await fetch(url + path),
      ])
        expect([answer.status, answer.headers.get('date')]).toEqual([401, now.toUTCString()])
      const headers = { authorization: `Bearer ${await token(emulator)}`, range: 'bytes=0-9' }
      const part = await emulator.fetch(`http://emulator${path}&marketplace=x`, { headers })
      expect(part.headers.get('date')).toBe(now.toUTCString())
    }
    await emulator.close()
  })

  test('it accepts a world that exists already', () => {
    const world = createWorld({ seed: 1, items: 1 })
    expect(createEmulator({ world }).world).toBe(world)
  })

  test.each([
    ['no token', null, 401, 'Bearer'],
    ['a token of its own', 'Bearer abc.def', 401, 'Bearer error="invalid_token"'],
  ])('%s gets 401 with a challenge', async (_, authorization, status, challenge) => {
    const { emulator, get } = await client()
    const response = await get(ITEM, { authorization })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([status, challenge])
    await emulator.close()
  })

  test('a token without the feed scope gets 403 with a challenge', async () => {
    const { emulator, get } = await client()
    const other = await token(emulator, undefined, undefined, `${emulator.scopeBase}/api_scope`)
    const response = await get(ITEM, { authorization: `Bearer ${other}` })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope"',
    ])
    await emulator.close()
  })

  test('a token ends by the clock of the emulator', async () => {
    let now = new Date('2026-03-05T00:00:00Z')
    const { emulator, get } = await client({ now: () => now, tokenLifetimeSeconds: 10 })
    expect((await get(ITEM, { range: 'bytes=0-9' })).status).toBe(206)
    now = new Date(now.getTime() + 10_000)
    expect((await get(ITEM, { range: 'bytes=0-9' })).status).toBe(401)
    await emulator.close()
  })

  test('the header may have another name and prefix', async () => {
    const { emulator, get } = await client({
      world: { seed: 1, items: 5, marketplaces: ['SHOP_DE'] },
      marketplaceHeader: 'X-Shop',
      marketplacePrefix: 'SHOP_',
    })
    expect((await get(ITEM, { range: 'bytes=0-9', 'X-Shop': 'SHOP_DE' })).status).toBe(206)
    await emulator.close()
  })

  const wrong: [keyof EmulatorOptions, unknown][] = [
    ['maxRangeBytes', 0],
    ['tokenLifetimeSeconds', 1.5],
    ['bootstrapAt', new Date(1)],
  ]
  test.each(wrong)('%s = %s is refused', (option, value) => {
    expect(() =>
      createEmulator({ world: { seed: 1, items: 1 }, [option]: value } as EmulatorOptions),
    ).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option }),
      }),
    )
  })
})
