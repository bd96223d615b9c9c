// The rows of a block while it is made: their heads, and a page of lines for each header line.

import { OWN_MEMORY } from '../../engine/index'
import type { BlockSource } from './block-lines'
import { appendHead, newHeads, REMOVED, type RowHeads } from './row-heads'
import { Block } from './run-reader'

const FIRST_PAGE_BYTES = 1 << 14
/** Pages whose memory waits for the next block. */
const MOST_FREE = 4
const CR = 0x0d
const LF = 0x0a

export class BlockBuilder {
  readonly heads: RowHeads
  rows = 0
  /** Bytes of the lines with their ends. */
  lineBytes = 0
  /** Pages by the numbers of their header lines. */
  pages = new Map<number, Page>()
  /** Pages whose memory is used again. */
  readonly #free: Page[] = []

  /** @param rows that are expected */
  constructor(rows: number) {
    this.heads = newHeads(rows, rows * 24)
  }

  /**
   * @param heads has the head at `n`
   * @param origin the row's number in the run, with its mark REMOVED where it has that
   * @param header the number of the row's header line
   * @param bytes has the row's line from `from` to `to` without its end
   */
  add(
    heads: RowHeads,
    n: number,
    origin: number,
    header: number,
    bytes: Uint8Array,
    from: number,
    to: number,
  ): void {
    appendHead(this.heads, this.rows, heads, n)
    this.heads.origin[this.rows++] = origin
    if (origin >= REMOVED) return
    let page = this.pages.get(header)
    if (page === undefined) this.pages.set(header, (page = this.#free.pop() ?? new Page()))
    page.add(bytes, from, to)
    this.lineBytes += to - from + 1
  }

  /** Begins the next block. The pages are the caller's until it gives them back. */
  clear(): void {
    this.pages = new Map()
    this.rows = 0
    this.lineBytes = 0
  }

  /** Takes the memory of a page back. */
  reuse(page: Page): void {
    page.length = 0
    if (this.#free.length < MOST_FREE) this.#free.push(page)
  }

  /** Returns the rows as a block, which keeps the memory. */
  block(run: BlockSource): Block {
    const { heads, rows } = this
    const pages = [...this.pages]
    const record = {
      rows,
      headBytes: heads.keyEnds[rows - 1]!,
      pages: pages.map(([header, { length }]) => ({
        header,
        bytes: length,
        rawBytes: 0,
        checksum: 0,
      })),
    }
    return new Block(
      run,
      record,
      heads,
      OWN_MEMORY,
      pages.map(([, page]) => page.lines),
    )
  }
}

/** The lines of one page. A block has as many pages as its rows have header lines. */
export class Page {
  #bytes = Buffer.allocUnsafeSlow(FIRST_PAGE_BYTES)
  length = 0

  add(bytes: Uint8Array, from: number, to: number): void {
    let end = this.length + to - from
    if (end + 2 > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(2 * (end + 2))
      this.#bytes.copy(grown, 0, 0, this.length)
      this.#bytes = grown
    }
    ;(bytes as Buffer).copy(this.#bytes, this.length, from, to)
    // A reader takes CR LF as the end of a line, so a line whose last byte is CR ends in CR LF.
    if (this.#bytes[end - 1] === CR) this.#bytes[end++] = CR
    this.#bytes[end] = LF
    this.length = end + 1
  }

  get lines(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }
}
