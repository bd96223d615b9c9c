// Cells of lists of values between separators, such as commas or pipes (item-feeds.md, section 2.2),
// in the order of the cell.

import { is } from '../../options'
import type { ColumnSpec } from '../../schema/column-spec'
import { UTF8 } from '../columns/arrow-type'
import { EMPTY_LIST, type KindOfCells } from './kind-of-cells'
import { sharedReader } from './shared-cells'

/** A feed has a handful of delivery options and some hundred categories. A table has 128 KiB. */
const LISTS = { entryBits: 10, maxKeyBytes: 128 }
const TEXT = { type: 'text' } as ColumnSpec

export const list: KindOfCells<readonly unknown[]> = {
  decoder({ separator = '', element = TEXT }, { kinds, decoderOf }) {
    const values = element.type === 'text' ? undefined : decoderOf(element)
    const decode = (text: string) => {
      const texts = decodeList(text, separator)
      return Object.freeze(values === undefined ? texts : texts.map(value => values.decode(value)))
    }
    // A value that can be changed is that of one row.
    const isOwn = kinds[element.type].isMutable
    return {
      empty: EMPTY_LIST,
      decode,
      read: isOwn ? () => undefined : sharedReader(LISTS, decode),
    }
  },
  arrow: ({ element }, { arrowTypeOf }) => ({
    kind: 'list',
    item: element ? arrowTypeOf(element) : UTF8,
  }),
  kernel: 'LIST',
  written: { COPY: 'LIST_AS_ARRAY' },
  fromObject(value, { element = TEXT }, { checkedValue }) {
    return Array.isArray(value)
      ? value.map(one => (one === null ? null : checkedValue(element, one)))
      : undefined
  },
  readable: (values, plainText) => values.map(plainText).join(', '),
}

/**
 * Decodes values between separators. The decoder drops space around values, and empty values, which
 * no feed sends on purpose.
 * @throws FeedError OPTION_INVALID
 */
export function decodeList(text: string, separator: string): string[] {
  is.filledText('separator', separator)
  const values: string[] = []
  for (const piece of is.anyText('text', text).split(separator)) {
    const value = piece.trim()
    if (value !== '') values.push(value)
  }
  return values
}
