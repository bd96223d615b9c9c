// The two ways in which a parser reads good rows: by its scanner, and row by row, where the scanner
// takes none, as without WebAssembly.

import { vi } from 'vitest'
import { TsvScanner } from '../../../../src/engine/codec/tsv/tsv-scanner'

export const READINGS = ['by the scanner', 'row by row'] as const
export type Reading = (typeof READINGS)[number]

/** Returns what `read` returns when parsers read so. */
export function readingSo<T>(reading: Reading, read: () => T): T {
  if (reading === 'by the scanner') return read()
  const scan = vi.spyOn(TsvScanner.prototype, 'scan').mockImplementation((_block, from) => from)
  try {
    return read()
  } finally {
    scan.mockRestore()
  }
}
