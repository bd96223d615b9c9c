// Differential fuzzing of the two ways to make columns, and of the decoders of texts. Stops at the
// first table that they read differently, and prints the smallest one that shows it.

import {
  difference,
  type MutatedTable,
  mutatedTable,
  seedCells,
  smallest,
} from '../engine/codec/columns/column-mutants'
import { randomNumbers } from '../engine/codec/gzip/deflate-mutants'

/** Tables that one set of cells makes. */
const TABLES = 1000

export function fuzzColumns(count: number, firstSeed: number): void {
  // Bad cells are many, and nobody reads where in the code their errors were made.
  Error.stackTraceLimit = 0
  for (let done = 0, seed = firstSeed; done < count; seed++) {
    const next = randomNumbers(seed)
    const cells = seedCells(seed)
    for (let n = 0; n < TABLES && done < count; n++) {
      const table = mutatedTable(cells, next)
      if (verdict(table) !== undefined) fail(seed, table)
      done += table.rows.length * table.columns.length
    }
    console.log(`${done} cells, seed ${seed}`)
  }
}

/** What differs, an unexpected error included. */
function verdict(table: MutatedTable): string | undefined {
  try {
    return difference(table)
  } catch (error) {
    return String(error)
  }
}

function fail(seed: number, table: MutatedTable): never {
  console.error(`seed ${seed}: ${verdict(table)}`)
  const { rows, ...rest } = smallest(table, smaller => verdict(smaller) !== undefined)
  console.error(`the smallest table: ${verdict({ rows, ...rest })}`)
  console.error(JSON.stringify(rest))
  for (const row of rows)
    console.error(row.map(({ bytes, ...cell }) => [bytes.toString('latin1'), cell]))
  process.exit(1)
}
