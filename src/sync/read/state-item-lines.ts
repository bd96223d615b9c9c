// The items of a state as lines of JSON, from the bytes of their rows.

import {
  anObject,
  arrayOf,
  type BoundHeader,
  bigIntAsText,
  type Columns,
  type Row,
  RowsJson,
  TextBuffer,
  withMethods,
} from '../../engine/index'
import { type StateItem, stateItemObject } from './state-items'

/**
 * Returns a line of JSON for each item of a block: what JSON.stringify makes of
 * {@link stateItemObject}. It takes a fraction of the time, because no object is made.
 * @throws FeedError OPTION_INVALID
 * @example
 * ```ts
 * import { openState, stateItemLines, sync } from 'feedmill/sync'
 * // given: service, now
 *
 * await sync({ service, marketplace: 'MKT_US', categories: ['220'], folder: 'lines', now }).summary
 * const state = await openState('lines')
 * for await (const items of state.categories[0]!.items()) {
 *   const [line] = Buffer.from(stateItemLines(items)).toString().split('\n')
 *   console.log(Object.keys(JSON.parse(line!)).slice(-2))
 *   break
 * }
 * await state.close()
 * // => [ 'priority', 'group' ]
 * ```
 */
export function stateItemLines(items: readonly StateItem[]): Uint8Array {
  for (const item of arrayOf('items', items))
    withMethods('item.row', anObject('item', item).row, ['toObject'])
  return Uint8Array.from(WRITER.of(items))
}

/** What stands behind the cells of an item without a priority and a group. */
const NO_PARTS = ',"priority":null,"group":null'
const TAIL_BYTES = NO_PARTS.length + 2

/** Writes blocks of items. Two blocks of lines are valid at a time. */
export class ItemLines {
  readonly #rows = new RowsJson(NO_PARTS)
  readonly #parts = new RowsJson()
  /** Memory for the lines of the rows and of the parts, and for those of the items, in turns. */
  readonly #rowText = new TextBuffer()
  readonly #partText = new TextBuffer()
  #text = new TextBuffer()
  #before = new TextBuffer()

  of(items: readonly StateItem[]): Uint8Array {
    const out = this.#before
    this.#before = this.#text
    this.#text = out
    out.cutTo(0)
    this.#rowText.cutTo(0)
    const { starts, ends } = this.#rows.of(
      items.map(({ row }) => row),
      this.#rowText,
    )
    const lines = this.#rowText.view()
    const partOf = this.#partsOf(items)
    /** The bytes of lines that are to be copied: lines that stand side by side are copied at once. */
    let from = 0
    let to = 0
    let last: BoundHeader | undefined
    let hasOwnParts = false
    for (let n = 0; n < items.length; n++) {
      const item = items[n]!
      const start = starts[n]!
      const { header } = item.row.batch
      if (header !== last) hasOwnParts = hasPartNames(header)
      last = header
      if (start !== to) {
        out.raw(lines.subarray(from, to))
        from = start
      }
      to = ends[n]!
      if (item.priority === null && item.group === null && !hasOwnParts) continue
      out.raw(lines.subarray(from, hasOwnParts ? start : to - TAIL_BYTES))
      if (hasOwnParts) out.text(`${JSON.stringify(stateItemObject(item), bigIntAsText)}\n`)
      else {
        out.raw(PRIORITY)
        out.raw(partOf(item.priority))
        out.raw(GROUP)
        out.raw(partOf(item.group))
        out.raw(END)
      }
      from = to
    }
    out.raw(lines.subarray(from, to))
    return out.view()
  }

  /** Writes the priorities and groups of items. Returns a function that gives the JSON of one. */
  #partsOf(items: readonly StateItem[]): (part: Row<Columns> | null) => Uint8Array {
    const numbers = new Map<Row<Columns>, number>()
    for (const { priority, group } of items)
      for (const part of [priority, group])
        if (part !== null && !numbers.has(part)) numbers.set(part, numbers.size)
    this.#partText.cutTo(0)
    const { starts, ends } = this.#parts.of([...numbers.keys()], this.#partText)
    const lines = this.#partText.view()
    return part => {
      if (part === null) return NULL
      const n = numbers.get(part)!
      return lines.subarray(starts[n], ends[n]! - 1)
    }
  }
}

/** Tells whether a column of a file has the name of a part, which then replaces it. */
function hasPartNames({ indexes }: BoundHeader): boolean {
  return indexes.has('priority') || indexes.has('group')
}

const WRITER = /* @__PURE__ */ new ItemLines()
const NULL = /* @__PURE__ */ Buffer.from('null')
const PRIORITY = /* @__PURE__ */ Buffer.from(',"priority":')
const GROUP = /* @__PURE__ */ Buffer.from(',"group":')
const END = /* @__PURE__ */ Buffer.from('}\n')
