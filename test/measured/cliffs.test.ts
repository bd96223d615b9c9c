// A cell that is odd, or bad, costs as much as a cell and not as much as its column, and a column of
// an unusual kind as much as a column and not as much as its file. `npm run bench:cliffs` measures
// this exactly; the bounds here are wide, for small files and a machine that does other work.
// Alone: it measures the processor time of its process.

import { describe, expect, test } from 'vitest'
import { type Kind, kinds, ROADS, type Road } from '../../bench/cliffs/kinds'
import { type CliffFile, cliffFile, pass } from '../../bench/cliffs/roads'
import { measured } from '../../src/bench/bench-run'

const MEGABYTES = 2
/** What a ratio may be, by its limit on larger files. */
const SLACK = 1.6
/** The most readings of a side; the cheapest counts. */
const MOST_ROUNDS = 16
/** Readings before the code is compiled. */
const WARM_UP = 2

interface Files {
  readonly clean: CliffFile
  readonly odd: CliffFile
}

async function ratioOf(kind: Kind, road: Road, files: Files, bound: number): Promise<number> {
  const unit = kind.per === 'byte' ? 'bytes' : 'rows'
  const costOf = async (side: keyof Files) => {
    const { figures, value } = await measured(() => pass(road, kind[side], files[side]))
    expect(value.rows + value.badRows).toBe(files[side].rows)
    expect(value.badRows > 0).toBe(kind[side].leavesOutRows === true)
    expect(value.badCells > 0).toBe(side === 'odd' && kind.name.startsWith('bad '))
    return figures.cpuMs / files[side][unit]
  }
  const least = { clean: Number.POSITIVE_INFINITY, odd: Number.POSITIVE_INFINITY }
  for (let round = 1; ; round++) {
    for (const side of ['clean', 'odd'] as const)
      least[side] = Math.min(least[side], await costOf(side))
    const ratio = least.odd / least.clean
    if (round >= MOST_ROUNDS || (round > WARM_UP && ratio < bound)) return ratio
  }
}

describe.each(kinds.map(kind => [kind.name, kind] as const))('%s', (_, kind) => {
  let files: Files | undefined
  const roads = ROADS.filter(road => kind.limits[road] !== undefined)

  test.each(roads)('%s', async road => {
    files ??= { clean: cliffFile(kind.clean, MEGABYTES), odd: cliffFile(kind.odd, MEGABYTES) }
    const bound = SLACK * kind.limits[road]!
    expect(await ratioOf(kind, road, files, bound)).toBeLessThan(bound)
  })
})
