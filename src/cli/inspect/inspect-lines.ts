// A report and its drift as text for a terminal.

import type { Dialect } from '../../index'
import type { ColumnProfile, Drift, InferredSchema, InspectReport } from '../../inspect'
import { cutText, textTable } from '../text-table'

/** The most characters of a frequent value in the table. */
const VALUE_CHARACTERS = 24
const SHOWN_VALUES = 3

export function inspectLines(report: InspectReport, drift?: readonly Drift[]): string[] {
  const parts = [
    headLines(report),
    report.header === null ? [] : headerLines(report.header, report.schema),
    badRowLines(report),
    columnLines(report.columns),
    invalidCellLines(report.columns),
    sampleLines(report),
    report.inferred ? schemaLines(report, report.inferred) : [],
    drift === undefined ? [] : driftLines(drift),
    failureLines(report),
  ]
  return parts
    .filter(lines => lines.length > 0)
    .flatMap((lines, n) => (n === 0 ? lines : ['', ...lines]))
}

function headLines(report: InspectReport) {
  const { source, rows, badRows, columns, schema, schemaIsGuess, textBytes, gzip } = report
  const fit = schema === null ? 'no schema' : `schema ${schema}${schemaIsGuess ? ' (guessed)' : ''}`
  const lines = [
    `${source}: ${rows} rows, ${badRows.count} bad, ${columns.length} columns, ${fit}, ${textBytes} bytes of text`,
  ]
  if (report.format === 'zstd' || report.format === 'zip')
    lines.push(`${report.format}: ${report.sourceBytes} bytes`)
  const first = report.dialect.quoting === 'json-lines' ? 'first lines are' : 'header line is'
  if (report.dialectIsGuess)
    lines.push(`read with ${dialectWords(report.dialect)}, as the ${first} written`)
  if (gzip === null) return lines
  const { verifiedMembers, members, compressedBytes, ratio, paddingBytes, name, modifiedAt } = gzip
  const extra = [
    ...(paddingBytes > 0 ? [`${paddingBytes} bytes of padding`] : []),
    ...(name === null ? [] : [`name ${name}`]),
    ...(modifiedAt === null ? [] : [`time ${modifiedAt}`]),
  ]
  return [
    ...lines,
    [
      `gzip: ${compressedBytes} bytes, ratio ${ratio.toFixed(2)}, checksums of ${verifiedMembers} of ${members} members verified`,
      ...extra,
    ].join(', '),
  ]
}

function dialectWords({ encoding, delimiter, quoting }: Dialect): string {
  const words = [
    ...(encoding === undefined ? [] : [`--encoding ${encoding}`]),
    ...(delimiter === undefined ? [] : [`--delimiter '${delimiter}'`]),
    ...(quoting === undefined ? [] : [`--quoting ${quoting}`]),
  ]
  return words.join(' ')
}

function headerLines(
  header: NonNullable<InspectReport['header']>,
  schema: string | null,
): string[] {
  const named = (columns: readonly { readonly name: string }[]) => columns.map(({ name }) => name)
  const lines: [what: string, names: readonly string[]][] = [
    ['required, but missing', named(header.missing.filter(({ required }) => required))],
    ['missing', named(header.missing.filter(({ required }) => !required))],
    ['unknown', schema === null ? [] : header.unknown],
    ['renamed', header.renamed.map(({ name, heading }) => `${heading} (${name})`)],
    ['repeated', header.repeated.map(({ name, count }) => `${name} (${count} times)`)],
    ['deprecated', named(header.deprecated)],
  ]
  const shown = lines
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `header, ${what}: ${names.join(', ')}`)
  return header.isInOrder ? shown : [...shown, 'header: the order differs from the schema']
}

function badRowLines({ badRows: { count, byCode, first } }: InspectReport): string[] {
  if (count === 0) return []
  const codes = byCode.map(({ code, count: rows }) => `${code} ${rows}`).join(', ')
  return [
    `bad rows: ${codes}`,
    ...first.map(({ message, excerpt }) => `  ${message}: ${JSON.stringify(excerpt)}`),
    ...(byCode.every(({ code }) => code.startsWith('TSV_QUOTE_'))
      ? ['All of them are faults of quotes. Try --quoting none']
      : []),
  ]
}

function columnLines(columns: readonly ColumnProfile[]): string[] {
  if (columns.length === 0) return []
  return textTable(
    [
      'column',
      'type',
      'frequent values',
      'filled',
      'empty',
      'invalid',
      'distinct',
      'bytes',
      'range',
    ],
    columns.map(column => [
      column.name,
      column.type,
      valuesText(column),
      `${column.filled}`,
      percent(column.empty, column.empty + column.filled),
      column.invalid === 0 ? '' : `${column.invalid}`,
      `${column.distinctIsExact ? '' : '~'}${column.distinct}`,
      column.bytes === null
        ? ''
        : `${column.bytes.min}-${column.bytes.max}, mean ${column.bytes.mean.toFixed(1)}`,
      column.range === null ? '' : `${column.range.min} to ${column.range.max}`,
    ]),
    3,
  )
}

function valuesText({ frequent, filled }: ColumnProfile): string {
  return (frequent?.values ?? [])
    .filter(({ count }) => count > 1)
    .slice(0, SHOWN_VALUES)
    .map(({ value, count }) => `${cutText(value, VALUE_CHARACTERS)} ${percent(count, filled)}`)
    .join(', ')
}

function invalidCellLines(columns: readonly ColumnProfile[]): string[] {
  const lines = columns.flatMap(({ name, invalidCells }) =>
    invalidCells.map(
      ({ row, line, byteOffset, reason, excerpt }) =>
        `  ${name}, row ${row}, line ${line}, byte ${byteOffset}: ${reason}: ${JSON.stringify(excerpt)}`,
    ),
  )
  return lines.length === 0 ? [] : ['invalid cells, the first of each column:', ...lines]
}

function sampleLines({ sample }: InspectReport): string[] {
  return sample.flatMap(({ row, line, cells }) => [
    `row ${row}, line ${line}`,
    ...cells.map(
      ({ column, text, isValid }) => `  ${column}: ${text}${isValid ? '' : ' (invalid)'}`,
    ),
  ])
}

type InferredColumn = InferredSchema['columns'][number]

function schemaLines(report: InspectReport, { schema, columns }: InferredSchema): string[] {
  const { count } = report.badRows
  const bad = count === 0 ? '' : `, without ${count} bad rows`
  return [
    `schema ${schema.name}, of the cells of ${report.rows} rows${bad}:`,
    ...columns.flatMap(column => [
      `  ${column.heading}: ${kindText(column, schema)}`,
      ...contradictionLines(column),
    ]),
  ]
}

function kindText(
  { heading, type, inSchema, nullWords, typeWithoutNullWords: other }: InferredColumn,
  { columns }: InferredSchema['schema'],
): string {
  const scale = inSchema ? columns[heading]?.scale : undefined
  const facts = [
    ...(scale === undefined ? [] : [`scale ${scale}`]),
    ...(inSchema ? [] : ['not in the schema: the heading is empty or repeated']),
    ...nullWords.map(({ word, row, line }) => `word for null ${word} (row ${row}, line ${line})`),
    ...(other === null ? [] : [`${other} without words for null`]),
  ]
  return [type, ...facts].join(', ')
}

/** One line for each cell that contradicts kinds. */
function contradictionLines({ type: found, contradictions }: InferredColumn): string[] {
  return [...new Set(contradictions.map(({ row }) => row))]
    .sort((a, b) => a - b)
    .map(at => {
      const same = contradictions.filter(({ row }) => row === at)
      const { line, excerpt } = same[0]!
      const isAll = found === 'text' && same.length === contradictions.length
      const kinds = isAll ? 'only text' : `not ${same.map(({ type }) => type).join(', ')}`
      return `    ${kinds}: row ${at}, line ${line}: ${JSON.stringify(excerpt)}`
    })
}

function driftLines(drift: readonly Drift[]): string[] {
  if (drift.length === 0) return ['drift: none']
  return textTable(
    ['drift', 'rule', 'column', 'before', 'after'],
    drift.map(({ severity, rule, column, before, after }) => [
      severity,
      rule,
      column ?? '',
      before,
      after,
    ]),
    5,
  )
}

export function failureLines({ failure }: InspectReport): string[] {
  if (failure === null) return []
  // The message names an option of the library, which the command has as two options.
  const [, delimiter] = /delimiter: '(.+?)'/.exec(failure.message) ?? []
  return [
    `The file cannot be read to its end: ${failure.code}: ${failure.message}`,
    ...(delimiter === undefined ? [] : [`Try --delimiter '${delimiter}' --quoting doubled`]),
  ]
}

function percent(count: number, of: number): string {
  return of === 0 ? '' : `${((count / of) * 100).toFixed(1)}%`
}
