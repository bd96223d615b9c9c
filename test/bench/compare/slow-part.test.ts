// Long: it copies and changes the sources.

import { cp, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SLOWED_PARTS, type SlowedPartName, slowPart } from '../../../bench/compare/slow-part'

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'feedmill-slow-'))
})

afterAll(() => rm(directory, { recursive: true }))

const FILES: Record<SlowedPartName, string> = {
  scanner: 'src/engine/codec/tsv/parser.ts',
  decoder: 'src/engine/codec/kinds/timestamp.ts',
  joiner: 'src/state/group-joiner.ts',
  merger: 'src/state/snapshot-merger.ts',
}

test.each(Object.keys(SLOWED_PARTS) as SlowedPartName[])(
  'the %s in these sources is slowed down',
  async name => {
    const tree = join(directory, name)
    await cp('src', join(tree, 'src'), { recursive: true })
    await slowPart(tree, name, 0.1)
    const slowed = await readFile(join(tree, FILES[name]), 'utf8')
    expect(slowed).toMatch(/^import \{ busy \} from '(\.\.?\/)+((engine\/)?codec\/)?busy'\n/)
    expect(slowed.match(/\bbusy\(\)/g)).toHaveLength(1)
    expect(await readFile(join(tree, 'src/engine/codec/busy.ts'), 'utf8')).toContain('* 0.1')
  },
)

test('sources without the part are refused', async () => {
  const empty = join(directory, 'empty')
  for (const folder of ['codec', 'stages', 'pipeline'])
    await mkdir(join(empty, 'src/engine', folder), { recursive: true })
  await expect(slowPart(empty, 'scanner', 0.1)).rejects.toThrow(/there is no scanner/)
})
