// The delimiters of the file's bytes, found on one thread by the scanner that parsers use: rows and
// where each of their cells ends, no text made. The bytes lie in memory before the clock starts.
// The scanner is not a public name, so it comes from the sources.

import { readFile } from 'node:fs/promises'
import { CELL_END, type ScanSpace } from '../../src/engine/codec/tsv/scan-space'
import { TsvScanner } from '../../src/engine/codec/tsv/tsv-scanner'
import type { MacroCase } from './macro-case'

/** The size of the parser's blocks. */
const BLOCK_BYTES = 64 * 1024

const TAB = 0x09
const LF = 0x0a
const ESCAPED = /\\(["\\])/g

/** Made with the module, as the loading of code is not counted. */
const scanner = new TsvScanner()

let bytes = new Uint8Array()

export const scan: MacroCase = {
  name: 'scan',
  contender: 'feedmill',
  title: 'delimiters of the raw bytes in memory, one thread',
  ours: true,
  async prepare(path) {
    bytes = await readFile(path)
  },
  async measure() {
    let rows = 0
    scanBlocks((_, space) => {
      rows += space.rows
    })
    return rows
  },
  async check(feed) {
    bytes = await readFile(feed.path)
    const { checkRows } = await import('./check')
    return checkRows<readonly string[]>(feed, { cells: row => row }, async use =>
      scanBlocks((block, space) => {
        for (let row = 0; row < space.rows; row++) use(cellsOf(block, space, row))
      }),
    )
  },
}

/** Scans all rows after the header, and shows each block with what was found in it. */
function scanBlocks(see: (block: Uint8Array, space: ScanSpace) => void): void {
  const headerEnd = bytes.indexOf(LF) + 1
  const space = scanner.newSpace(
    bytes.subarray(0, headerEnd).filter(byte => byte === TAB).length + 1,
  )
  for (let at = headerEnd; at < bytes.length; ) {
    const block = bytes.subarray(at, at + BLOCK_BYTES)
    space.rows = 0
    const used = scanner.scanCopy(block, 0, space)
    if (used === 0) throw new Error(`the scanner stopped at byte ${at}`)
    see(block, space)
    at += used
  }
}

function cellsOf(
  block: Uint8Array,
  { columns, rowStarts, cellEnds }: ScanSpace,
  row: number,
): string[] {
  let start = rowStarts[row]!
  return Array.from({ length: columns }, (_, column) => {
    const end = cellEnds[row * columns + column]! & CELL_END
    const text = Buffer.from(block.subarray(start, end)).toString()
    start = end + 1
    return text.startsWith('"') ? text.slice(1, -1).replace(ESCAPED, '$1') : text
  })
}
