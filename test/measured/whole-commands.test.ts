// The memory of whole commands, as a user starts them: the built command in a process of its own,
// with default options. `npm run bench:targets` measures the same with more items.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type WholeService, wholeSync } from '../../bench/targets/whole-sync'
import { packedPackage } from '../packed-package'

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
])(
  'a first sync into %s takes at most %i MB',
  async (_, mostMb, [option, name]) => {
    const { peakMb } = await wholeSync(service, [option!, join(folder, name!)])
    expect(peakMb).toBeLessThan(mostMb)
  },
  120_000,
)
