// Cells of days of the calendar, which have no time and no time zone, so that they stay text.

import { is } from '../../options'
import { invalidCell, type KindOfCells } from './kind-of-cells'
import { timeText } from './timestamp'

const DAY_CHARACTERS = 10

export const date: KindOfCells<string | null> = {
  decoder: { empty: null, decode: decodeDate, read: () => undefined },
  arrow: { kind: 'date' },
  kernel: 'DAY',
  written: { JSON: 'TEXT_CELL', COPY: 'TEXT_CELL', CSV: 'MADE' },
  order: {
    numberOf: value => Date.parse(`${value}T00:00:00Z`),
    textOf: time => timeText(time).slice(0, DAY_CHARACTERS),
    isInModule: true,
  },
  scalar: 'date',
}

/**
 * Checks that a text is a day of the Gregorian calendar, `yyyy-MM-dd`, and returns the text. Days
 * sort as texts do.
 * @throws FeedError CELL_INVALID, OPTION_INVALID
 */
export function decodeDate(text: string): string {
  is.anyText('text', text)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text))
    throw invalidCell('date', 'not of the form yyyy-MM-dd', text)
  // Date reads 30 February as 1 March, so the day differs. A NaN differs from any day too.
  if (new Date(`${text}T00:00:00Z`).getUTCDate() !== Number(text.slice(8)))
    throw invalidCell('date', 'no such day', text)
  return text
}
