// Makes plain objects of one shape from lists of values. The shape is known only when a header is
// read, so the quick way is a function that is compiled for the shape: one object literal, or for
// many columns a copy of a template whose properties get their values. Where a process forbids code
// from text (`--disallow-code-generation-from-strings`, a content security policy), a slower
// function makes the same objects.

import type { RowCells, RowCutter } from './row-cells'
import { CELL_END } from './tsv/scan-space'

export interface Shape {
  /** Names of the properties whose values differ from object to object, in order. */
  readonly names: readonly string[]
  /** The properties behind them, whose values all objects share. */
  readonly constants: readonly (readonly [name: string, value: unknown])[]
}

/** Makes an object of `values`, one for each name of its shape. */
export type ObjectMaker = (values: readonly unknown[]) => Record<string, unknown>

/**
 * Returns a maker of objects with properties in the order of the shape's names. Every name is an
 * own property, `__proto__` too.
 */
export function objectMaker(shape: Shape): ObjectMaker {
  const properties = shape.names.length + shape.constants.length
  const isLiteral = properties <= MOST_IN_LITERAL || properties > MOST_IN_COPY
  try {
    return isLiteral ? literalMaker(shape) : copyingMaker(shape)
  } catch {
    return assigningMaker(shape)
  }
}

/**
 * V8 keeps the hidden class of literals with up to this many properties. It makes that of a larger
 * one anew for each object, property by property. Its time to compile the cutting of texts, too,
 * grows faster than the number of columns.
 */
const MOST_IN_LITERAL = 127
/** Objects with more properties have no hidden class, and their copy is slower than a literal. */
const MOST_IN_COPY = 1020

/** @throws EvalError where the process forbids code from text */
export function literalMaker({ names, constants }: Shape): ObjectMaker {
  const given = names.map((name, n) => `${key(name)}: values[${n}]`)
  const shared = constants.map(([name], n) => `${key(name)}: constants[${n}]`)
  const body = `return function makeObject(values) { return { ${[...given, ...shared].join(', ')} } }`
  return new Function('constants', body)(constants.map(([, value]) => value)) as ObjectMaker
}

/**
 * Returns a name as the key of an object literal. A JSON string is a JavaScript string, so no name
 * can end the literal. `__proto__` is a property only as a computed key.
 */
export function key(name: string): string {
  return name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)
}

/** @throws EvalError where the process forbids code from text */
export function copyingMaker(shape: Shape): ObjectMaker {
  const stores = shape.names.map((name, n) => `object[${JSON.stringify(name)}] = values[${n}]`)
  const body = `return function makeObject(values) {
    const object = { ...template }
    ${stores.join('\n')}
    return object
  }`
  return new Function('template', body)(templateOf(shape)) as ObjectMaker
}

/** An object of the shape without values. All copies of it share one hidden class. */
function templateOf({ names, constants }: Shape): Record<string, unknown> {
  return Object.fromEntries<unknown>([
    ...names.map((name): [string, unknown] => [name, null]),
    ...constants,
  ])
}

/** The maker without code from text. */
export function assigningMaker(shape: Shape): ObjectMaker {
  const { names } = shape
  const template = templateOf(shape)
  return values => {
    const object = { ...template }
    for (let n = 0; n < names.length; n++) object[names[n]!] = values[n]
    return object
  }
}

// Makes plain objects of the texts of a row's cells. As above the quick way is a function that is
// compiled for a projection: it goes along the row, cuts each cell's text out of the text of the
// row's run, and ends in one object literal. It needs no list of texts, no loop and no call but for
// marked cells, so V8 optimises it as a whole. Where a process forbids code from text, another
// function makes the same objects by way of a list. row-cells.ts says what a cell's text is.

export interface TextShape {
  readonly columns: Int32Array
  readonly names: readonly string[]
  /** Names of columns that the file lacks, whose texts are '', behind the others. */
  readonly absent: readonly string[]
}

/** Makes an object of a row's texts, with properties in the order of the shape's names. */
export type TextObjectMaker = (cells: RowCells, slot: number) => Record<string, unknown>

export function textObjectMaker(shape: TextShape): TextObjectMaker {
  const properties = shape.names.length + shape.absent.length
  if (properties > MOST_IN_LITERAL) return listedMaker(shape, objectMaker)
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
  const body = `return function makeTextObject(cells, run, runStart, ends, first, start) {
    ${texts.join('\n')}
    return { ${[...given, ...lacking].join(', ')} }
  }`
  const make = new Function(body)() as RowCutter
  return (cells, slot) => cells.cut(slot, make)
}

// No offset is negative or overflows. The masks tell V8, which would otherwise guard each step.
function textAt(column: number, n: number, before: number | undefined): string {
  let start = `ends[first + ${column - 1} | 0] - runStart + 1`
  if (column === 0) start = 'start'
  else if (column - 1 === before) start = `end${n - 1} + 1`
  return `const mark${n} = ends[first + ${column} | 0], end${n} = mark${n} - runStart & ${CELL_END}
    const start${n} = ${start} & ${CELL_END}
    const text${n} = mark${n} < 0
      ? cells.markedText(start${n} + runStart, end${n} + runStart)
      : run.slice(start${n}, end${n})`
}

/** The maker of objects by way of a list of texts. */
export function listedMaker(
  { columns, names, absent }: TextShape,
  makerOf: typeof objectMaker,
): TextObjectMaker {
  const make = makerOf({ names, constants: absent.map(name => [name, '']) })
  return (cells, slot) => make(cells.texts(slot, columns))
}
