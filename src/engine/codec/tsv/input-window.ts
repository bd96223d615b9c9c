// The block of bytes that the parser reads, and the position of the next row in it. The size of a
// block depends on the bytes of the file alone, never on how the input was cut, so batches begin
// and end at the same rows however the file arrives. A block is filled by copying inputs, or it
// lies in an input whose memory is lent.

import type { RowPosition } from '../../errors'
import type { Loan } from '../loan'
import { copyInto } from '../memory'
import { nextLine } from './read-row'
import { rowPosition } from './row-places'

const NOTHING = new Uint8Array()

export class InputWindow {
  /** The block: memory of the window, or the lender's. */
  bytes: Uint8Array
  /** Bytes of the block that are in use. */
  filled = 0
  /** File offset of `bytes[0]`. */
  baseOffset = 0
  /** Offset in the block of the next row. */
  at = 0
  /** True while the block is complete and the parser has not read it to its end. */
  isOpen = false
  /** True once no input follows. */
  isFinal = false
  /** Called with the bytes that `discardLine` passes, which begin at `at`. */
  onDiscard: ((bytes: Uint8Array) => void) | undefined
  /** Rows and lines before `at`; the header is row 0. */
  #row = 0
  #line = 1
  /** File offset up to which a quoted cell must end on its line. */
  #confinedUntil = 0
  /** True while the window drops the rest of a line that is too long. */
  #isDiscarding = false
  /** Bytes that are not in a block yet; in lent memory, those of the current block too. */
  #input: Uint8Array = NOTHING
  /** True while the input lies in lent memory, directly behind what the block held before it. */
  #isLent = false
  readonly #minBytes: number
  readonly #origin: () => string | undefined
  readonly #memoryFor: (bytes: number) => Uint8Array
  /** Size of the block when it is full. */
  #size: number
  /** The window's own memory, of `#size` bytes. */
  #own: Uint8Array

  /** @param memoryFor returns the memory of a block, which may be that of the one before it */
  constructor(
    blockBytes: number,
    origin: () => string | undefined = () => undefined,
    memoryFor: (bytes: number) => Uint8Array = Buffer.allocUnsafeSlow,
  ) {
    this.#origin = origin
    this.#memoryFor = memoryFor
    this.#minBytes = blockBytes
    this.#size = blockBytes
    this.#own = memoryFor(blockBytes)
    this.bytes = this.#own
  }

  /** Gives the next row, which is the first of a window without input, a position of its file. */
  startAt({ row, line, byteOffset }: RowPosition): void {
    this.baseOffset = byteOffset
    this.#row = row - 1
    this.#line = line
  }

  /** Takes an input, which `open` copies. */
  take(input: Uint8Array): void {
    this.#input = input
  }

  /** Returns whether the next block can lie in this lent input. */
  canBorrow(input: Uint8Array, { historyBytes }: Loan): boolean {
    return this.filled + input.length >= this.#size && historyBytes >= this.filled
  }

  /** Takes a lent input, and the bytes before it that the block has copied already. */
  borrow(input: Uint8Array): void {
    const { filled } = this
    this.#input = new Uint8Array(input.buffer, input.byteOffset - filled, filled + input.length)
    this.#isLent = true
    this.filled = 0
  }

  /** Rows before `at`, bad rows included. */
  get rows(): number {
    return this.#row
  }

  /** The block lies in lent memory, which stays as it is until the parser asks for more. */
  get isLent(): boolean {
    return this.#isLent
  }

  /** Makes the next block of the input. Returns false while the input does not fill it. */
  open(): boolean {
    if (this.#isLent && this.#input.length >= this.#size) {
      this.bytes = this.#input.subarray(0, this.#size)
      this.filled = this.#size
    } else {
      this.#isLent = false
      this.#copyInput()
      if (this.filled < this.#size) return false
    }
    this.#beginReading()
    return true
  }

  /** Opens the last block: no input follows. */
  openLast(): void {
    this.isFinal = true
    this.#beginReading()
  }

  /**
   * Ends the block at `at`. The bytes behind it are a row that is cut off and begin the next block,
   * which has room for at least as many bytes again, so that growth stays linear.
   */
  close(): void {
    this.isOpen = false
    if (this.isFinal) return
    const rest = this.bytes.subarray(this.at, this.filled)
    if (this.#isLent) this.#input = this.#input.subarray(this.at)
    this.baseOffset += this.at
    this.at = 0
    this.#makeRoomFor(rest.length)
    this.filled = this.#isLent ? 0 : rest.length
    if (!this.#isLent) this.bytes.set(rest)
  }

  /** Moves to `next`, past so many rows and lines. */
  advance(next: number, rows: number, lines: number): void {
    this.at = next
    this.#row += rows
    this.#line += lines
  }

  /** Moves behind the current line, whose end may lie in a later block. */
  discardLine(): void {
    const next = nextLine(this.bytes, this.at, this.filled)
    this.#isDiscarding = next < 0
    this.onDiscard?.(this.bytes.subarray(this.at, next < 0 ? this.filled : next))
    this.advance(next < 0 ? this.filled : next, 0, next < 0 ? 0 : 1)
  }

  /** The position of the next row, which begins at the offset `from` of the block. */
  positionOf(from: number): RowPosition {
    return rowPosition(this.#row + 1, this.#line, this.baseOffset + from, this.#origin())
  }

  /** From here to the offset `to` of the block a quoted cell must end on its line. */
  confineQuotesUntil(to: number): void {
    this.#confinedUntil = Math.max(this.#confinedUntil, this.baseOffset + to)
  }

  /** Returns whether a quoted cell of the row at the offset `from` must end on its line. */
  isConfined(from: number): boolean {
    return this.baseOffset + from < this.#confinedUntil
  }

  #beginReading(): void {
    this.isOpen = true
    if (this.#isDiscarding) this.discardLine()
  }

  #copyInput(): void {
    const input = this.#input
    const count = Math.min(this.#size - this.filled, input.length)
    copyInto(this.bytes, this.filled, count === input.length ? input : input.subarray(0, count))
    this.filled += count
    this.#input = count === input.length ? NOTHING : input.subarray(count)
  }

  #makeRoomFor(restBytes: number): void {
    this.#size = Math.max(this.#minBytes, powerOfTwo(restBytes * 2))
    if (this.#size !== this.#own.length) this.#own = this.#memoryFor(this.#size)
    this.bytes = this.#own
  }
}

function powerOfTwo(atLeast: number): number {
  return atLeast <= 1 ? 1 : 2 ** Math.ceil(Math.log2(atLeast))
}
