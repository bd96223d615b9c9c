// Plain objects of the texts of a row's cells. As in object-maker.ts the quick way is code that is
// made for a choice of columns: it goes along the row, cuts each cell's text out of the text that
// the row is in, and ends in one object literal. There is no list of texts on the way, and no loop
// and no call in which V8 would forget what it knows of the row. Where code may not be made from
// text the same objects come by way of a list. What a cell's text is stands in row-cells.ts.

import { assigningMaker, key, objectMaker } from './object-maker'
import type { CutColumns, RowCells, RowCutter } from './row-cells'
import { CELL_END } from './tsv/scanner'

export interface TextShape extends CutColumns {
  /** Names behind the others, of columns that the file lacks: ''. */
  readonly absent: readonly string[]
}

/** Makes an object of the texts of a row. Properties are in the order of the shape's names. */
export type TextObjectMaker = (cells: RowCells, slot: number) => Record<string, unknown>

/**
 * Columns up to which code is made for each. V8 takes 18 ms to compile 39 of them, 70 for 128, 360
 * for 256, and never compiles 512.
 */
const MAX_LITERAL_COLUMNS = 128
/** Columns that are looked at together for cells whose bytes are not their text. */
const REREAD_COLUMNS = 8

export function textObjectMaker(shape: TextShape): TextObjectMaker {
  if (shape.columns.length > MAX_LITERAL_COLUMNS) return listedMaker(shape, objectMaker)
  try {
    return literalTextMaker(shape)
  } catch {
    return listedMaker(shape, assigningMaker)
  }
}

/** @throws EvalError where the process forbids code from text */
export function literalTextMaker(shape: TextShape): TextObjectMaker {
  const { columns, names, absent } = shape
  const texts = Array.from(columns, (column, n) => textAt(column, n, columns[n - 1]))
  const given = names.map((name, n) => `${key(name)}: text${n}`)
  const lacking = absent.map(name => `${key(name)}: ''`)
  const body = `return function makeTextObject(cells, slot, run, runStart, ends, first, start) {
    ${texts.join('\n')}
    const object = { ${[...given, ...lacking].join(', ')} }
    ${rereading(columns.length)}
    return object
  }`
  const make = new Function('shape', body)(shape) as RowCutter
  return (cells, slot) => cells.cut(slot, make)
}

// No offset is negative or overflows, and the masks say so: without them V8 guards each step
// against that.
function textAt(column: number, n: number, before: number | undefined): string {
  let start = `ends[first + ${column - 1} | 0] - runStart + 1`
  if (column === 0) start = 'start'
  else if (column - 1 === before) start = `end${n - 1} + 1`
  return `const mark${n} = ends[first + ${column} | 0], end${n} = mark${n} - runStart & ${CELL_END}
    const text${n} = run.slice(${start} & ${CELL_END}, end${n})`
}

// In groups, so that a row with one cell to read anew is not looked through from end to end.
function rereading(columns: number): string {
  const groups: string[] = []
  for (let from = 0; from < columns; from += REREAD_COLUMNS) {
    const to = Math.min(from + REREAD_COLUMNS, columns)
    const marks = Array.from({ length: to - from }, (_, n) => `mark${from + n}`)
    groups.push(`if ((${marks.join(' | ')}) < 0) cells.reread(object, slot, shape, ${from}, ${to})`)
  }
  return groups.join('\n')
}

/** Objects by way of a list of texts. */
export function listedMaker(
  { columns, names, absent }: TextShape,
  makerOf: typeof objectMaker,
): TextObjectMaker {
  const make = makerOf({ names, constants: absent.map(name => [name, '']) })
  return (cells, slot) => make(cells.texts(slot, columns))
}
