import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { statusCommand } from '../../../src/cli/sync/status'
import { syncCommand } from '../../../src/cli/sync/sync'
import { targetOf, targetPlace } from '../../../src/cli/sync/target-option'
import { HOURS, outcomeOf, served } from '../served'

let at: Awaited<ReturnType<typeof served>>
beforeAll(async () => {
  at = await served()
})
afterAll(() => at.close())

test('sync --to fills a DuckDB file, a second run has nothing to do, and status reads its ledger', async () => {
  const to = join(at.folder, 'items.duckdb')
  const until = new Date('2026-03-01T02:00:00Z')
  const sync = async (more: object = {}) => {
    const command = { ...at.command, json: true, to, until, ...more }
    const { out } = await outcomeOf(() => syncCommand(command))
    return JSON.parse(out.at(-1)!)
  }
  const first = await sync()
  expect([first.type, first.failed, first.rows > 0]).toEqual(['summary', [], true])
  expect(await sync()).toMatchObject({ files: 0, rows: 0 })
  const { out } = await outcomeOf(() => statusCommand(undefined, { now: at.now, json: true, to }))
  const status = JSON.parse(out[0]!)
  expect(status).toMatchObject({ marketplace: 'MKT_US', service: at.command.baseUrl, sizes: null })
  expect(status.categories).toMatchObject([
    {
      categoryId: '220',
      watermark: until.toISOString(),
      due: { count: HOURS - 2 },
      lost: { count: 0 },
    },
  ])
  const text = await outcomeOf(() => statusCommand(undefined, { now: at.now, json: false, to }))
  expect(text.out.join('\n')).toContain(`category 220: up to ${until.toISOString()}`)
}, 60_000)

test.each(['', '?schema=a', '?schema=a&prefix=b_', '?prefix=b_'])(
  'an address of PostgreSQL opens a target, whose name is the address (%s)',
  async tables => {
    const to = `postgres://shop@db.example/shop${tables}`
    expect((await targetOf(to)).name).toBe(to)
  },
)

test('another address is refused with what may stand there', () => {
  expect(() => targetPlace('mysql://shop:hunter2@db/shop')).toThrow(
    '--to must be a database: FILE.duckdb or duckdb:FILE or postgres://user@host/database?schema=feedmill',
  )
})
