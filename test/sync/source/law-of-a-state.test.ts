// The law of law-worlds.ts in random worlds, and in the smallest ones that have broken it.
// Long: it synchronises and kills many small lists. `npm run fuzz -- states` takes more of them.

import fc from 'fast-check'
import { test } from 'vitest'
import { checkLaw, type Step, type World, worlds } from './law-worlds'
import type { NaiveFile } from './naive-merge'
import type { SmallRow } from './small-feed'

const run: Step = { what: 'run', which: 0 }
const merge: Step = { what: 'merge', which: 0 }
const replay: Step = { what: 'replay', which: 0xffff }

function file(id: string, minute: number, ...rows: readonly Partial<SmallRow>[]): NaiveFile {
  const whole = rows.map((row): SmallRow => {
    return { sku: 'a', revision: 1, gone: false, title: id, ...row }
  })
  return { id, kind: id.startsWith('f') ? 'full' : 'changes', minute, rows: whole }
}

const fallen = [file('f0', 0), file('c1', 1, { revision: 10 }), file('c3', 3, { revision: 5 })]
const late = file('f2', 2, { sku: 'b' })
/** More files than a run leaves unmerged. */
const others = Array.from({ length: 40 }, (_, n) => file(`c4-${n}`, 4, { sku: 'b', revision: n }))
const lost = file('c3', 3, { revision: 5, fault: 'version' })
const bad = (fault: SmallRow['fault']) => file('f0', 0, { revision: 9, fault })

const CASES: readonly (readonly [string, readonly NaiveFile[], readonly Step[]])[] = [
  ['a row of a smaller version behind a late full file', [...fallen, late], [run, run, run, run]],
  ['the same behind a merge', [...fallen, late], [run, run, run, merge, run, merge]],
  [
    'the same behind more files than stay unmerged',
    [...fallen, ...others, late],
    Array.from({ length: 15 }, () => ({ ...run, which: 2 })),
  ],
  [
    'a mended row that has lost, behind a late full file',
    [...fallen.slice(0, 2), lost, late],
    [run, run, run, replay, run],
  ],
  [
    'the same behind a merge',
    [...fallen.slice(0, 2), lost, late],
    [run, run, run, replay, merge, run],
  ],
  [
    'a mended row that has lost to one of its time',
    [...fallen.slice(0, 2), file('c1b', 1, { revision: 5, fault: 'version' }), late],
    [run, run, run, replay, merge, run],
  ],
  [
    'a removal and a later row of one version',
    [file('c1', 1, { revision: 10, gone: true }), file('c2', 2, { revision: 10 })],
    [run, run, merge],
  ],
  ...(['version', 'mark', 'extra', 'cell'] as const).map(
    fault =>
      [
        `a bad row of a full file that is mended: ${fault}`,
        [bad(fault), file('c1', 1, { revision: 4 })],
        [run, run, replay, merge],
      ] as const,
  ),
]

test.each(CASES)('fault 156: %s', async (_, files, steps) => {
  for (const hasVersion of [true, false]) {
    const world: World = { hasVersion, files, steps }
    await checkLaw(world)
    await checkLaw({ ...world, files: files.toReversed() })
  }
})

test('fault 156: the state follows from the applied files and the mended rows, and the logs lead to it', async () => {
  const numRuns = process.env.FEEDMILL_CRASH === 'all' ? 1_000 : 100
  await fc.assert(fc.asyncProperty(worlds, checkLaw), { numRuns })
}, 900_000)
