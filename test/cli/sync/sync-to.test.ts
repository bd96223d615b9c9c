// `feedmill sync --to`, with PostgreSQL.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { statusCommand } from '../../../src/cli/sync/status'
import { syncCommand } from '../../../src/cli/sync/sync'
import { type TestDatabase, testDatabase } from '../../integrations/postgres/test-database'
import { runsWithService } from '../../services'
import { outcomeOf, served } from '../served'

describe.runIf(await runsWithService('postgres'))('feedmill sync --to', () => {
  let at: Awaited<ReturnType<typeof served>>
  let database: TestDatabase
  beforeAll(async () => {
    at = await served()
    database = await testDatabase()
  })
  afterAll(async () => {
    await database.drop()
    await at.close()
  })

  test('brings a database to the last hour, and a second run finds nothing to do', async () => {
    const { state: _, ...command } = at.command
    const run = () => outcomeOf(() => syncCommand({ ...command, to: database.url }))
    const { out, err, exitCode, error } = await run()
    expect([err, exitCode, error]).toEqual([[], undefined, undefined])
    expect(out.at(-1)).toBe('220 up to 2026-03-01T04:00:00.000Z')
    const rows = await database.sql('SELECT item_id AS id FROM feedmill.items ORDER BY item_id')
    const { world } = at.emulator
    expect(rows.map(({ id }) => id)).toEqual(
      Array.from(world.truthAt(world.end), ({ itemId }) => itemId),
    )
    expect((await run()).out[0]).toMatch(/^0 files, 0 rows/)
    const status = { now: at.now, json: false, to: database.url }
    const shown = await outcomeOf(() => statusCommand(undefined, status))
    expect(shown.out.join('\n')).toContain('category 220: up to 2026-03-01T04:00:00.000Z')
  })
})
