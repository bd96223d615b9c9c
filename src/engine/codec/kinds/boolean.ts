// Cells of truth values (item-feeds.md, section 2.2), which have two spellings (service-notes.md,
// section 6.2).

import { is } from '../../options'
import { invalidCell, type KindOfCells } from './kind-of-cells'

/** The first four bytes of each usual spelling, and the fifth byte. */
const TRUE_LOWER = 0x74727565
const TRUE_UPPER = 0x54525545
const FALS_LOWER = 0x66616c73
const FALS_UPPER = 0x46414c53
const E_LOWER = 0x65
const E_UPPER = 0x45

export const boolean: KindOfCells<boolean | null> = {
  decoder: {
    empty: null,
    decode: decodeBoolean,
    read: ({ view }, _, start, end) => readBoolean(view, start, end),
  },
  arrow: { kind: 'boolean' },
  kernel: 'BOOLEAN',
  isLiteral: true,
  scalar: 'boolean',
}

/**
 * Decodes `true` or `false`, case-insensitive.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeBoolean(text: string): boolean {
  is.anyText('text', text)
  if (text === 'true' || text === 'TRUE') return true
  if (text === 'false' || text === 'FALSE') return false
  if (/^true$/i.test(text)) return true
  if (/^false$/i.test(text)) return false
  throw invalidCell('boolean', 'neither true nor false', text)
}

/**
 * Reads a boolean from a cell's bytes. Returns undefined for other than the usual spellings, which
 * {@link decodeBoolean} decodes.
 */
function readBoolean(bytes: DataView, start: number, end: number): boolean | undefined {
  const length = end - start
  if (length < 4 || length > 5) return undefined
  const word = bytes.getUint32(start)
  if (length === 4) return word === TRUE_LOWER || word === TRUE_UPPER ? true : undefined
  const last = bytes.getUint8(start + 4)
  return (word === FALS_LOWER && last === E_LOWER) || (word === FALS_UPPER && last === E_UPPER)
    ? false
    : undefined
}
