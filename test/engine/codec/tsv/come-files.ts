// Texts of files as they come, with their dialect: titles, units, blank lines, headers in the middle,
// short and long rows, words for null, blanks, quotes and escapes.

import fc from 'fast-check'
import type { Dialect, Quoting } from '../../../../src/engine/codec/tsv/dialect'

export interface ComeFile {
  readonly dialect: Dialect
  readonly text: string
}

const NULLS = ['NA', '\\N', 'null', '"', '-']

/** `undefined` is left out, as a caller leaves it out. */
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined })

const dialects = fc
  .record({
    delimiter: optional(fc.constantFrom(',', ';', '\t', '|', 'N')),
    quoting: optional(fc.constantFrom<Quoting>('backslash', 'doubled', 'none', 'escapes')),
    comment: optional(fc.constant('#')),
    skipLines: optional(fc.nat(3)),
    unitLines: optional(fc.nat(2)),
    nulls: optional(fc.subarray(NULLS)),
    trim: optional(fc.boolean()),
    shortRows: optional(fc.constantFrom('fill', 'bad-row')),
    blankLines: optional(fc.constantFrom('skip', 'bad-row')),
    repeatedHeader: optional(fc.constantFrom('skip', 'row')),
  })
  .map(all => {
    const given = Object.entries(all).filter(([, value]) => value !== undefined)
    return Object.fromEntries(given) as Dialect
  })

const PARTS = ['a', 'é', '😀', ' ', '  ', '\rx', '\\', '\\t', '\\n', '\\\\', '"', '0', ...NULLS]
const cells = fc.oneof(
  fc.constantFrom('', ...NULLS, ' NA ', ' "NA"', '"NA" '),
  fc.array(fc.constantFrom(...PARTS), { maxLength: 5 }).map(parts => parts.join('')),
)

type Line =
  | { readonly kind: 'row'; readonly cells: readonly (readonly [string, isQuoted: boolean])[] }
  | { readonly kind: 'blank' | 'header' | 'marked header' }

export const comeFiles: fc.Arbitrary<ComeFile> = fc
  .record({
    dialect: dialects,
    columns: fc.integer({ min: 1, max: 4 }),
    mark: fc.constantFrom('', '\ufeff'),
    separator: fc.constantFrom(undefined, ';', ',', '|'),
    before: fc.array(fc.constantFrom('#', '# "x', ''), { maxLength: 3 }),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    isEnded: fc.boolean(),
    lines: fc.array(
      fc.oneof(
        {
          weight: 8,
          arbitrary: fc.record({
            kind: fc.constant('row' as const),
            cells: fc.array(fc.tuple(cells, fc.boolean()), { minLength: 1, maxLength: 5 }),
          }),
        },
        fc.record({
          kind: fc.constantFrom('blank' as const, 'header' as const, 'marked header' as const),
        }),
      ),
      { maxLength: 12 },
    ),
    isExact: fc.boolean(),
  })
  .map(({ dialect, columns, mark, separator, before, lineEnd, isEnded, lines, isExact }) => {
    const isNamed = separator !== undefined
    const delimiter = separator ?? dialect.delimiter ?? '\t'
    const quoting = dialect.quoting ?? (isNamed ? 'doubled' : 'backslash')
    const written = (cell: string, isQuoted: boolean) => {
      const plain = cell.replaceAll(delimiter, '')
      if (quoting === 'none' || quoting === 'escapes') return plain
      if (isQuoted && quoting === 'doubled') return `"${cell.replaceAll('"', '""')}${delimiter}"`
      if (isQuoted) return `"${cell.replace(/["\\]/g, '\\$&')}\n"`
      return plain.replace(/^"+/, '')
    }
    const names = Array.from({ length: columns }, (_, n) => `c${n}`)
    const pad = dialect.trim ? '  ' : ''
    const header = names.map(name => pad + name + pad).join(delimiter)
    const rowOf = (row: Line & { kind: 'row' }) => {
      const all = row.cells.map(([cell, isQuoted]) => written(cell, isQuoted))
      while (isExact && all.length < columns) all.push('')
      return (isExact ? all.slice(0, columns) : all).join(delimiter)
    }
    const passed = before.filter(line =>
      line === '' ? dialect.blankLines === 'skip' : dialect.comment !== undefined,
    )
    const titles = Array.from({ length: dialect.skipLines ?? 0 }, (_, n) => `the "title ${n}`)
    if (isNamed) titles.splice(0, 1, `sep=${separator}`)
    const units = Array.from({ length: dialect.unitLines ?? 0 }, () => '"[kg]')
    const body = lines.map(line => {
      if (line.kind === 'row') return rowOf(line)
      if (line.kind === 'blank') return ''
      return line.kind === 'header' ? header : `\ufeff${header}`
    })
    const text = [...titles, ...passed, header, ...units, ...body].join(lineEnd)
    return { dialect, text: mark + text + (isEnded ? lineEnd : '') }
  })
