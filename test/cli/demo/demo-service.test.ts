import { expect, test, vi } from 'vitest'
import { FILES, PLACE, prepareFiles } from '../../../src/cli/demo/demo-service'
import { createEmulator, createWorld } from '../../../src/emulator'
import { fetchTransport } from '../../../src/index'
import { createFeedService, defineProfile } from '../../../src/service'

test('prepared data is not made again when it is read', async () => {
  const world = createWorld({ seed: 7, items: 300, churn: 20 })
  const emulator = createEmulator({ world })
  const profile = defineProfile({
    baseUrl: 'http://127.0.0.1',
    tokenUrl: `http://127.0.0.1${emulator.tokenPath}`,
    scopeBase: emulator.scopeBase,
  })
  const now = new Date(world.end.getTime() + 3_600_000)
  const service = createFeedService(
    profile,
    { clientId: emulator.clientId, clientSecret: emulator.clientSecret },
    { transport: fetchTransport(emulator.fetch), now },
  )
  try {
    const prepared = await prepareFiles(service, world, false)
    expect(prepared).toMatchObject({ files: FILES })
    expect(prepared.bytesCompressed).toBeGreaterThan(FILES * 100)
    const made = (['itemsAt', 'groupsAt', 'changesWithin'] as const).map(name =>
      vi.spyOn(world, name),
    )
    let bytes = 0
    for await (const chunk of service.feeds
      .getItemFeed({ ...PLACE, scope: 'ALL_ACTIVE' })
      .compressed())
      bytes += chunk.length
    for await (const chunk of service.feeds
      .getItemGroupFeed({ ...PLACE, scope: 'ALL_ACTIVE' })
      .compressed())
      bytes += chunk.length
    for (let hour = +world.start; hour < +world.end; hour += 3_600_000) {
      const snapshot = service.feeds.getItemSnapshotFeed({
        ...PLACE,
        snapshotDate: new Date(hour),
      })
      for await (const chunk of snapshot.compressed()) bytes += chunk.length
    }
    expect(bytes).toBe(prepared.bytesCompressed)
    expect(made.map(spy => spy.mock.calls.length)).toEqual([0, 0, 0])
  } finally {
    await service.close()
    await emulator.close()
  }
})
