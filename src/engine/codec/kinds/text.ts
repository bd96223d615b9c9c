// Cells of text, which has every text as a value.

import { UTF8 } from '../columns/arrow-type'
import { decimalText } from './decimal'
import type { KindOfCells } from './kind-of-cells'
import { validTime } from './timestamp'

export const text: KindOfCells<string | null> = {
  decoder: {
    empty: null,
    decode: text => text,
    // The bytes `""` have no text, so this cell is empty too: undefined leaves that to row-cells.ts.
    read: (source, slot, start, end) => source.textBetween(slot, start, end) || undefined,
  },
  arrow: UTF8,
  kernel: 'TEXT_CELL',
  scalar: 'text',
  fromObject(value, _, { jsonOf }) {
    if (value instanceof Date) return validTime(value)?.toISOString()
    return decimalText(value) ?? jsonOf(value)
  },
}
