// Tests the clients of the whole service over faulty downloads. The faults are the same in process
// and on a socket, and the rows are the same as without faults.

import { expect, test } from 'vitest'
import { createEmulator, createWorld } from '../../../src/emulator'
import { fetchTransport, NodeTransport } from '../../../src/index'
import { createFeedService, defineProfile } from '../../../src/service'

const world = createWorld({ seed: 7, items: 900, hours: 120 })
const ranges = {
  chunkBytes: 9_000,
  retry: { patienceMs: 20_000, backoffBaseMs: 0, backoffCapMs: 1 },
  idleMs: 80,
}

async function rowsAndFaults(seed: number, onSocket: boolean) {
  const emulator = createEmulator({ world, faults: { rate: 0.2, seed } })
  const origin = onSocket ? (await emulator.listen()).url : 'https://emulator'
  const profile = defineProfile({
    baseUrl: origin,
    tokenUrl: origin + emulator.tokenPath,
    scopeBase: emulator.scopeBase,
  })
  const undici = new NodeTransport()
  const transport = onSocket ? undici : fetchTransport(emulator.fetch)
  const { clientId, clientSecret } = emulator
  const service = createFeedService(
    profile,
    { clientId, clientSecret },
    { transport, ranges, now: world.end },
  )
  const rows: string[] = []
  const item = service.feeds.getItemFeed({
    marketplace: 'MKT_US',
    categoryId: '220',
    scope: 'ALL_ACTIVE',
  })
  for await (const row of item.rows()) rows.push(row.text('itemId'))
  const fileIds: string[] = []
  for await (const { fileId } of service.catalog.getFiles({
    marketplace: 'MKT_US',
    feedTypeId: 'CURATED_ITEM_FEED',
  }))
    fileIds.push(fileId)
  for (const fileId of fileIds.slice(0, 4)) {
    for await (const row of service.catalog.downloadFile({ marketplace: 'MKT_US', fileId }).rows())
      rows.push(row.text('itemId'))
  }
  const faults = emulator.faults.log.length
  await Promise.all([service.close(), undici.close(), emulator.close()])
  return { rows, faults }
}

test.each([0, 1, 2, 3])('seed %i', async seed => {
  const [inProcess, onSocket] = await Promise.all([
    rowsAndFaults(seed, false),
    rowsAndFaults(seed, true),
  ])
  const bootstrap = Array.from(world.itemsAt(world.start), item => item.itemId)
  expect(inProcess.rows.slice(0, bootstrap.length)).toEqual(bootstrap)
  expect(inProcess.rows.length).toBeGreaterThan(bootstrap.length)
  expect(onSocket.rows).toEqual(inProcess.rows)
  expect([inProcess.faults > 0, onSocket.faults > 0]).toEqual([true, true])
})
