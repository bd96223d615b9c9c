// Measures one side of a kind, by each of its roads in turn, in a process of its own.

import { answerTask } from '../../src/bench/fresh-process'
import { kinds, type Road } from './kinds'
import { cliffFile, msOf } from './roads'

export interface CliffTask {
  /** The name of the kind. */
  readonly kind: string
  readonly side: 'clean' | 'odd'
  readonly roads: readonly Road[]
}

export interface CliffFigures {
  readonly bytes: number
  readonly rows: number
  /** The processor time of one reading on each road. */
  readonly ms: { readonly [R in Road]?: number }
}

const MEGABYTES = 10
const LEAST_MS = 100

await answerTask(async ({ kind: name, side: which, roads }: CliffTask): Promise<CliffFigures> => {
  const kind = kinds.find(known => known.name === name)!
  const side = kind[which]
  const file = cliffFile(side, kind.megabytes ?? MEGABYTES)
  const ms: { [R in Road]?: number } = {}
  for (const road of roads) ms[road] = await msOf(road, side, file, LEAST_MS)
  return { bytes: file.bytes, rows: file.rows, ms }
})
