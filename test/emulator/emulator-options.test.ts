import { describe, expect, test } from 'vitest'
import { createEmulator, type EmulatorOptions } from '../../src/emulator'
import { token } from './emulator-client'

const world = { seed: 1, items: 5 }

describe('what an emulator is made from is checked at the call', () => {
  const wrong: [given: unknown, option: string][] = [
    [undefined, 'options'],
    [null, 'options'],
    [7, 'options'],
    [{}, 'world'],
    [{ world: 7 }, 'world'],
    [{ world, wrold: 1 }, 'wrold'],
    [{ world, now: 7 }, 'now'],
    [{ world, now: new Date(Number.NaN) }, 'now'],
    [{ world, now: '2026-03-01' }, 'now'],
    [{ world, bootstrapAt: 'weekly' }, 'bootstrapAt'],
    [{ world, bootstrapAt: new Date(1) }, 'bootstrapAt'],
    [{ world, slowCategories: '220' }, 'slowCategories'],
    [{ world, headerForm: 'rfc' }, 'headerForm'],
    [{ world, wrapErrors: 1 }, 'wrapErrors'],
    [{ world, clientId: '' }, 'clientId'],
    [{ world, clientSecret: 7 }, 'clientSecret'],
    [{ world, tokenLifetimeSeconds: 0 }, 'tokenLifetimeSeconds'],
    [{ world, tokenRequests: 0 }, 'tokenRequests'],
    [{ world, faults: { oncePerFile: 1 as never } }, 'faults.oncePerFile'],
    [{ world, maxRangeBytes: 0 }, 'maxRangeBytes'],
    [{ world, keyTokenErrorStatus: 500 }, 'keyTokenErrorStatus'],
    [{ world, access: { constrains: [] } }, 'constrains'],
    [{ world, access: { constraints: {} } }, 'constraints'],
    [{ world, access: { constraints: [{}] } }, 'marketplaceId'],
    [
      { world, access: { constraints: [{ marketplaceId: 'MKT_US', categories: [] }] } },
      'categories',
    ],
    [{ world, catalog: { feedType: [] } }, 'feedType'],
    [
      { world, catalog: { feedTypes: [{ feedTypeId: 'A', description: '', feed: 'items' }] } },
      'feed',
    ],
    [
      { world, catalog: { feedTypes: [{ feedTypeId: 'A', feed: 'item', lookBackMinutes: 0 }] } },
      'lookBackMinutes',
    ],
    [
      { world, catalog: { feedTypes: [{ feedTypeId: 'A', feed: 'item', state: 'ACTIVE' }] } },
      'state',
    ],
    [{ world, catalog: { maxWholeBytes: -1 } }, 'maxWholeBytes'],
    [{ world, catalog: { toldSize: 7 } }, 'toldSize'],
    [{ world, conflictStatus: 418 }, 'conflictStatus'],
    [{ world, faults: { rat: 1 } }, 'rat'],
    [{ world, faults: { rate: '1' } }, 'faults.rate'],
    [{ world, faults: { kinds: ['fire'] } }, 'faults.kinds'],
    [{ world, faults: { rules: [{ rout: '*', fault: '503' }] } }, 'rout'],
    [{ world, format: { gzipLevels: 6 } }, 'gzipLevels'],
    [{ world, format: 'rows' }, 'format'],
    [{ world, format: { headerSpelling: 'kebab' } }, 'headerSpelling'],
    [{ world, format: { tailColumns: 'yes' } }, 'tailColumns'],
    [{ world, format: { unknownColumns: 1 } }, 'unknownColumns'],
    [{ world, cache: { memoryFilesBytes: 1 } }, 'memoryFilesBytes'],
    [{ world, cache: 7 }, 'cache'],
  ]
  test.each(wrong)('%j: %s', (given, option) => {
    expect(() => createEmulator(given as EmulatorOptions)).toThrow(
      expect.objectContaining({
        code: 'OPTION_INVALID',
        context: expect.objectContaining({ option }),
      }),
    )
  })
})

describe('the clock', () => {
  test('stands still, or is read each time', async () => {
    const still = createEmulator({ world, now: new Date('2026-03-05T00:00:00Z') })
    expect(still.now()).toEqual(new Date('2026-03-05T00:00:00Z'))
    let hour = 0
    const running = createEmulator({ world, now: () => new Date(Date.UTC(2026, 2, 5, hour++)) })
    expect([running.now().getUTCHours(), running.now().getUTCHours()]).toEqual([0, 1])
    await Promise.all([still.close(), running.close()])
  })

  test('decides when tokens end', async () => {
    let now = new Date('2026-03-05T00:00:00Z')
    const emulator = createEmulator({ world, now: () => now })
    const headers = { authorization: `Bearer ${await token(emulator)}` }
    const status = async () =>
      (await emulator.fetch(`http://emulator${emulator.paths.getAccess}`, { headers })).status
    expect(await status()).toBe(200)
    now = new Date('2026-03-05T02:00:01Z')
    expect(await status()).toBe(401)
    await emulator.close()
  })

  test('fails inside when it gives no Date, and the service answers in its own form', async () => {
    const emulator = createEmulator({ world, now: (() => 7) as never })
    const grant = {
      grant_type: 'client_credentials',
      client_id: emulator.clientId,
      client_secret: emulator.clientSecret,
    }
    const response = await emulator.fetch(`http://emulator${emulator.tokenPath}`, {
      method: 'POST',
      body: new URLSearchParams(grant),
    })
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { category: 'APPLICATION' },
    ])
    await emulator.close()
  })
})
