// How the WebAssembly module src/engine/wasm/columns.ts decodes the columns of a kind.

import type { ColumnSpec } from '../../schema/column-spec'
import { arrowTypeOf, KINDS } from '../kinds/all-kinds'
import type { CellKind } from '../kinds/kind-of-cells'
import type { ArrowType } from './arrow-type'
import { textHash } from './text-hash'

/** How the module decodes values of a kind. */
export interface ValueKernel {
  readonly kind: CellKind
  /** True where the texts of good values stay as they are. */
  readonly asText?: boolean
  /**
   * The scale of a decimal. Of texts: 1 refuses the year 0 of times, and JSON with space around it,
   * with line ends, or that is `null`.
   */
  readonly parameter: number
  /** The texts of `oneOf`, as the module looks them up. */
  readonly words?: Uint8Array
}

/** How the module decodes a column. */
export interface Kernel extends ValueKernel {
  /** The values of a list, and what separates them. */
  readonly element?: ValueKernel
  readonly separator?: Uint8Array
  /** True where an empty cell is a bad one. */
  readonly notNull: boolean
}

/** Returns how the module decodes a column; undefined where only the plain way does. */
export function kernelOf(
  spec: ColumnSpec,
  arrow: ArrowType,
  textOf = valueKernel,
): Kernel | undefined {
  const { element, separator = '', notNull = false } = spec
  const kernel = (spec.type === 'list' ? valueKernel : textOf)(spec, arrow)
  if (kernel === undefined || spec.type !== 'list') return kernel && { ...kernel, notNull }
  const values = element ?? TEXT
  const own = textOf(values, arrowTypeOf(values))
  return own && { ...kernel, element: own, separator: Buffer.from(separator), notNull }
}

const TEXT = { type: 'text' } as ColumnSpec

/** Returns how the module decodes values of a kind. */
export function valueKernel({ type }: ColumnSpec, arrow: ArrowType): ValueKernel | undefined {
  const { kernel: kind } = KINDS[type]
  if (kind === undefined) return undefined
  if (type === 'json') return { kind, asText: true, parameter: 0 }
  if (arrow.kind === 'decimal') return { kind, parameter: arrow.scale }
  if (arrow.kind === 'dictionary') return { kind, parameter: 0, words: wordsOf(arrow.values) }
  return { kind, parameter: 0 }
}

const words = new WeakMap<readonly string[], Uint8Array>()

function wordsOf(texts: readonly string[]): Uint8Array {
  let made = words.get(texts)
  if (made === undefined) words.set(texts, (made = newWords(texts)))
  return made
}

/** Makes a table of texts for `choiceOf` of the module, which says what stands where. */
function newWords(texts: readonly string[]): Uint8Array {
  const places = 2 ** Math.ceil(Math.log2(2 * texts.length + 2))
  const entries = texts.map(text => Buffer.from(text))
  const size = entries.reduce((sum, { length }) => sum + 8 + aligned(length), 4 + 4 * places)
  const table = Buffer.alloc(size)
  const view = new DataView(table.buffer, table.byteOffset, size)
  view.setUint32(0, places - 1, true)
  let at = 4 + 4 * places
  entries.forEach((bytes, n) => {
    view.setUint32(at, n, true)
    view.setUint32(at + 4, bytes.length, true)
    table.set(bytes, at + 8)
    let place = textHash(view, at + 8, at + 8 + bytes.length) & (places - 1)
    while (view.getUint32(4 + 4 * place, true) !== 0) place = (place + 1) & (places - 1)
    view.setUint32(4 + 4 * place, at, true)
    at += 8 + aligned(bytes.length)
  })
  return table
}

/** Bytes in whole words. */
function aligned(bytes: number): number {
  return 4 * Math.ceil(bytes / 4)
}
