// What an odd cell costs: for each kind and road, the processor time of a file with odd cells by
// that of the same file without, or of an unusual schema by that of a usual one.

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { benchFailed } from '../../src/bench/bench-failed'
import { aligned } from '../../src/bench/formats/bench-text'
import { inFreshProcess } from '../../src/bench/fresh-process'
import { machineLine, thisMachine } from '../../src/bench/machine'
import { median, spreadOf } from '../../src/bench/statistics/median'
import { progressBar } from '../../src/cli/progress-bar'
import type { CliffFigures, CliffTask } from './cliffs-process'
import { type Kind, kinds, ROADS, type Road } from './kinds'

const TIME_LIMIT_MS = 10 * 60 * 1000
const ROUNDS = 3

function measure(task: CliffTask): Promise<CliffFigures> {
  return inFreshProcess({
    script: fileURLToPath(new URL('./cliffs-process.js', import.meta.url)),
    task,
    timeLimitMs: TIME_LIMIT_MS,
    failed: how => benchFailed(`${task.kind}, ${task.side}`, how),
  })
}

/** The lines of a kind, one for each road. */
async function linesOf(kind: Kind, roads: readonly Road[]): Promise<string[][]> {
  const clean: CliffFigures[] = []
  const odd: CliffFigures[] = []
  for (let round = 0; round < ROUNDS; round++) {
    clean.push(await measure({ kind: kind.name, side: 'clean', roads }))
    odd.push(await measure({ kind: kind.name, side: 'odd', roads }))
  }
  const unit = kind.per === 'byte' ? 'bytes' : 'rows'
  return roads.map(road => {
    const cost = (figures: CliffFigures) => figures.ms[road]! / figures[unit]
    const ratios = odd.map((figures, round) => cost(figures) / cost(clean[round]!))
    const ratio = median(ratios)
    const nsOf = ({ ms, bytes }: CliffFigures) => (1e6 * ms[road]!) / bytes
    const limit = kind.limits[road]!
    return [
      kind.name,
      road,
      median(clean.map(nsOf)).toFixed(1),
      median(odd.map(nsOf)).toFixed(1),
      ratio.toFixed(2),
      `${(100 * spreadOf(ratios)).toFixed(0)}%`,
      limit.toFixed(1),
      ratio <= limit ? 'ok' : 'CLIFF',
    ]
  })
}

/** The names that a list chooses; each is a part of a name, in any case. */
function chosen<T extends string>(option: string, list: string, names: readonly T[]): T[] {
  return list.split(',').flatMap(part => {
    const found = names.filter(name => name.toLowerCase().includes(part.trim().toLowerCase()))
    if (found.length > 0) return found
    throw new RangeError(`--${option} must be parts of ${names.join('; ')}, not ${part}`)
  })
}

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    roads: { type: 'string', default: '' },
  },
})
const names = kinds.map(({ name }) => name)
const only = new Set(chosen('only', values.only, names))
const roads = new Set<Road>(chosen('roads', values.roads, ROADS))
const measured = kinds.flatMap(kind => {
  const own = ROADS.filter(road => roads.has(road) && kind.limits[road] !== undefined)
  return only.has(kind.name) && own.length > 0 ? [{ kind, own }] : []
})
console.log(machineLine(thisMachine()))
const lines = [['kind', 'road', 'ns/byte clean', 'odd', 'ratio', 'spread', 'limit', '']]
const bar = progressBar(1, true)
for (const [n, { kind, own }] of measured.entries()) {
  bar.update(n / measured.length, kind.name)
  lines.push(...(await linesOf(kind, own)))
}
bar.stop()
console.log(aligned(lines, [0, 1, 7]).join('\n'))
if (lines.some(line => line.at(-1) === 'CLIFF')) process.exitCode = 1
