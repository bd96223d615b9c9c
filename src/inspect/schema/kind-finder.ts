// Finds the narrowest kind of one column that all of its texts have, in constant memory: the kinds
// that no cell has contradicted so far, and for each other kind the first cell that did.

import type { CellType, ColumnSpec, Row, RowBatch } from '../../engine/index'
import { DECIMAL_DIGITS, excerpt } from '../../engine/index'
import type { Contradiction, InferredColumn } from '../report'
import { ALL_KINDS, BITS, CANONICAL_KINDS, narrowerThan } from './canonical-kinds'
import { plainNumber, plainTime } from './plain-texts'

/** What programs write into a cell that has no value. The kinds other than text take none of them. */
const NULL_WORDS = new Set('\\N NULL null NA N/A n/a #N/A NaN nan - --'.split(' '))
const MOST_WORD_BYTES = 4

export class KindFinder {
  /** The bits of the kinds that no cell but words for null has contradicted. */
  #left = ALL_KINDS
  /** True where a cell is none of the words for null. */
  #hasValue = false
  readonly #contradictions = new Map<CellType, Contradiction>()
  readonly #nullWords = new Map<string, InferredColumn['nullWords'][number]>()
  /** The most digits before and behind the point of the decimal numbers. */
  #wholeDigits = 0
  #scale = 0

  /** Returns false where `take` would change nothing, as far as the bytes of the cell plainly say. */
  needs(bytes: DataView, start: number, end: number): boolean {
    const left = this.#left
    // A column that is text, whatever comes, has only words for null to be found.
    if (left === 0) return end - start <= MOST_WORD_BYTES
    const plain =
      left === BITS.date || left === BITS.timestamp
        ? plainTime(bytes, start, end)
        : plainNumber(bytes, start, end, this.#wholeDigits, this.#scale)
    return (left & ~plain) !== 0
  }

  /** Takes the filled cell of the n-th row. A text that was taken before changes nothing. */
  take(batch: RowBatch, n: number, at: number): void {
    const row = batch.row(n)
    const text = batch.cells.text(row.slot, at)
    if (NULL_WORDS.has(text)) {
      if (!this.#nullWords.has(text)) this.#nullWords.set(text, { word: text, ...row.position })
      this.#contradict(this.#left, 'a word for null', text, row)
      return
    }
    this.#hasValue = true
    let open = this.#left
    for (const kind of CANONICAL_KINDS) {
      if ((open & kind.bit) === 0) continue
      const reason = kind.refusal(text)
      if (reason === undefined) open &= ~kind.covers
      else this.#lose(kind.bit, reason, text, row)
    }
    if ((this.#left & BITS.decimal) !== 0) this.#measure(text, row)
  }

  /** The column of the schema. */
  get spec(): ColumnSpec {
    const type = this.#nullWords.size === 0 ? this.#narrowest : 'text'
    // `__cell` exists for the compiler only.
    return (type === 'decimal' ? { type, scale: this.#scale } : { type }) as ColumnSpec
  }

  /** What a report says, for a column of the heading. */
  report(heading: string, inSchema: boolean): InferredColumn {
    const type = inSchema ? this.spec.type : 'text'
    const contradictions = narrowerThan(type).flatMap(
      narrower => this.#contradictions.get(narrower) ?? [],
    )
    const nullWords = [...this.#nullWords.values()]
    const otherwise = nullWords.length === 0 ? 'text' : this.#narrowest
    return {
      heading,
      type,
      inSchema,
      contradictions,
      nullWords,
      typeWithoutNullWords: otherwise === 'text' ? null : otherwise,
    }
  }

  get #narrowest(): CellType {
    if (!this.#hasValue) return 'text'
    return CANONICAL_KINDS.find(({ bit }) => (this.#left & bit) !== 0)?.type ?? 'text'
  }

  /** Checks that all decimal numbers so far have one scale, and no more digits than a column. */
  #measure(text: string, row: Row): void {
    const point = text.indexOf('.')
    const whole = (point < 0 ? text : text.slice(0, point)).replace('-', '')
    if (whole !== '0') this.#wholeDigits = Math.max(this.#wholeDigits, whole.length)
    this.#scale = Math.max(this.#scale, point < 0 ? 0 : text.length - point - 1)
    if (this.#wholeDigits + this.#scale <= DECIMAL_DIGITS) return
    this.#lose(BITS.decimal, `more than ${DECIMAL_DIGITS} digits`, text, row)
  }

  #lose(bit: number, reason: string, text: string, row: Row): void {
    this.#left &= ~bit
    this.#contradict(bit, reason, text, row)
  }

  /** Notes the cell for those of the kinds that no earlier cell has contradicted. */
  #contradict(bits: number, reason: string, text: string, { position }: Row): void {
    const { row, line, byteOffset } = position
    const cell = { row, line, byteOffset, reason, excerpt: excerpt(text) }
    for (const { type, bit } of CANONICAL_KINDS)
      if ((bits & bit) !== 0 && !this.#contradictions.has(type))
        this.#contradictions.set(type, { type, ...cell })
  }
}
