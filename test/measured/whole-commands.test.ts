// The memory of whole commands, as a user starts them: the built command in a process of its own,
// with default options. `npm run bench:targets` measures the same with more items.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type WholeService, wholeSync } from '../../bench/targets/whole-sync'
import { testDatabase } from '../integrations/postgres/test-database'
import { packedPackage } from '../packed-package'
import { runsWithService } from '../services'

let folder: string
let service: WholeService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'feedmill-whole-'))
  // Builds the project where it is not built.
  await packedPackage(folder)
  service = await startService(60_000)
}, 240_000)
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

test.each([
  ['a state folder', 256, ['--state', 'state']],
  ['a DuckDB file', 512, ['--to', 'items.duckdb']],
  ['a DuckDB file with --memory', 536, ['--to', 'more.duckdb', '--memory', '512MiB']],
])(
  'a first sync into %s takes at most %i MB',
  async (_, mostMb, [option, name, ...others]) => {
    const { peakMb } = await wholeSync(service, [option!, join(folder, name!), ...others])
    expect(peakMb).toBeLessThan(mostMb)
  },
  120_000,
)

test.runIf(await runsWithService('postgres'))(
  'a first sync into PostgreSQL takes at most 256 MB',
  async () => {
    const database = await testDatabase()
    try {
      const { peakMb } = await wholeSync(service, ['--to', database.url])
      expect(peakMb).toBeLessThan(256)
    } finally {
      await database.drop()
    }
  },
  120_000,
)
