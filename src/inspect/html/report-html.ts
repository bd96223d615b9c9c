// Writes a report as one HTML page that needs no network and no script: style and plots are in it.
// Everything that comes from the file goes through `escaped`.

import { checkedReport } from '../checked-report'
import type { Drift } from '../drift/compare-reports'
import type { ColumnProfile, HeaderReport, InspectReport } from '../report'
import { PAGE_STYLE } from './page-style'
import { MOST_PLOTTED_COLUMNS, plotsOf } from './plots'

/**
 * Returns a report as an HTML page that needs no network and no script.
 * @param drift what {@link compareReports} found; without it the page has no part about drift
 * @throws FeedError OPTION_INVALID where `report` is no report, DEPENDENCY_MISSING without the
 * optional package echarts, which draws the plots
 * @example
 * ```ts
 * import { inspect, reportHtml } from 'feedmill/inspect'
 *
 * const html = await reportHtml(await inspect([Buffer.from('itemId\ttitle\n1\ta <b> title\n')]))
 * console.log(html.includes('a &lt;b&gt; title'), html.includes('<script'))
 * // => true false
 * ```
 */
export async function reportHtml(report: InspectReport, drift?: readonly Drift[]): Promise<string> {
  checkedReport('report', report)
  const plots = await plotsOf(report)
  const { columns, rows, source } = report
  const parts = [
    factsOf(report),
    drift === undefined ? '' : driftOf(drift),
    report.header === null ? '' : headerOf(report.header, report.schema),
    badRowsOf(report),
    columns.length === 0
      ? ''
      : `<h2>Cells</h2><div class="plot">${plots.cells}</div><h2>Distinct values</h2><div class="plot">${plots.distinct}</div>`,
    columns.length > MOST_PLOTTED_COLUMNS
      ? `<p>The plots show the first ${MOST_PLOTTED_COLUMNS} of ${columns.length} columns.</p>`
      : '',
    columns.length === 0 ? '' : columnsOf(columns),
    valuesOf(columns),
    invalidCellsOf(columns),
    sampleOf(report),
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(source)}: ${number(rows)} rows</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<h1>${escaped(source)}</h1>
${parts.filter(part => part !== '').join('\n')}
</body>
</html>
`
}

/** Control characters have no place in HTML; a line end in a cell stays visible. */
function escaped(text: string): string {
  return text
    .replaceAll(/\r\n|\r|\n/g, '⏎')
    .replaceAll(/\p{Cc}/gu, '�')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}

function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 })
}

function percent(count: number, of: number): string {
  return of === 0 ? '' : `${((count / of) * 100).toFixed(1)}%`
}

/** @param numeric the indexes of the columns that hold numbers. @param cells are HTML */
function table(
  heading: readonly string[],
  lines: readonly (readonly string[])[],
  numeric: readonly number[] = [],
): string {
  const row = (cells: readonly string[], tag: 'th' | 'td') =>
    `<tr>${cells.map((cell, n) => `<${tag}${numeric.includes(n) ? ' class="n"' : ''}>${cell}</${tag}>`).join('')}</tr>`
  return `<div class="wide"><table><thead>${row(heading, 'th')}</thead><tbody>${lines.map(line => row(line, 'td')).join('')}</tbody></table></div>`
}

function factsOf({ schema, schemaIsGuess, gzip, ...report }: InspectReport): string {
  const facts: [name: string, value: string][] = [
    ['rows', number(report.rows)],
    ['bad rows', number(report.badRows.count)],
    ['columns', number(report.columns.length)],
    ['schema', schema === null ? 'none' : `${escaped(schema)}${schemaIsGuess ? ' (guessed)' : ''}`],
    ['text', `${number(report.textBytes)} bytes`],
  ]
  if (gzip !== null)
    facts.push(
      ['gzip', `${number(gzip.compressedBytes)} bytes, ratio ${number(gzip.ratio)}`],
      ['members', `${number(gzip.verifiedMembers)} of ${number(gzip.members)} verified`],
      ['padding', `${number(gzip.paddingBytes)} bytes`],
      ['name in gzip', gzip.name === null ? '—' : escaped(gzip.name)],
      ['time in gzip', gzip.modifiedAt ?? '—'],
    )
  const list = facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('')
  const { failure } = report
  const banner =
    failure === null
      ? ''
      : `<p class="breaks"><strong>${failure.code}</strong> The file could not be read to its end; the figures are those up to there. ${escaped(failure.message)}</p>`
  return `${banner}<dl>${list}</dl>`
}

function driftOf(drift: readonly Drift[]): string {
  if (drift.length === 0) return '<h2>Drift</h2><p>No rule found a difference.</p>'
  return `<h2>Drift</h2>${table(
    ['severity', 'rule', 'column', 'before', 'after'],
    drift.map(({ severity, rule, column, before, after }) => [
      `<span class="${severity}">${severity}</span>`,
      rule,
      column === null ? '' : escaped(column),
      escaped(before),
      escaped(after),
    ]),
  )}`
}

function headerOf(header: HeaderReport, schema: string | null): string {
  const lines = [
    ['missing, required', names(header.missing.filter(({ required }) => required))],
    ['missing', names(header.missing.filter(({ required }) => !required))],
    ['unknown', schema === null ? '' : header.unknown.map(escaped).join(', ')],
    [
      'renamed',
      header.renamed
        .map(({ name, heading }) => `${escaped(heading)} → ${escaped(name)}`)
        .join(', '),
    ],
    [
      'repeated',
      header.repeated.map(({ name, count }) => `${escaped(name)} × ${count}`).join(', '),
    ],
    ['deprecated', names(header.deprecated)],
    ['order', header.isInOrder ? '' : 'differs from the schema'],
  ].filter(([, text]) => text !== '')
  if (lines.length === 0 && schema === null) return ''
  if (lines.length === 0) return '<h2>Header</h2><p>The header is as in the schema.</p>'
  return `<h2>Header</h2>${table(['', 'columns'], lines as string[][])}`
}

function names(columns: readonly { readonly name: string }[]): string {
  return columns.map(({ name }) => escaped(name)).join(', ')
}

/** The position in the message of a bad row, which has cells of its own in the table. */
const PLACE = /^row \d+, line \d+, byte \d+: /

function badRowsOf({ badRows, rows }: InspectReport): string {
  if (badRows.count === 0) return ''
  const codes = badRows.byCode.map(({ code, count }) => `${code} ${number(count)}`).join(', ')
  return `<h2>Bad rows</h2><p>${number(badRows.count)} (${percent(badRows.count, badRows.count + rows)}): ${codes}</p>${table(
    ['row', 'line', 'byte', 'reason', 'text'],
    badRows.first.map(({ row, line, byteOffset, message, excerpt }) => [
      number(row),
      number(line),
      number(byteOffset),
      escaped(message.replace(PLACE, '')),
      `<code>${escaped(excerpt)}</code>`,
    ]),
    [0, 1, 2],
  )}`
}

function columnsOf(columns: readonly ColumnProfile[]): string {
  return `<h2>Columns</h2>${table(
    ['column', 'type', 'filled', 'empty', 'invalid', 'distinct', 'bytes', 'range'],
    columns.map(column => [
      `${escaped(column.name)}${column.heading === column.name ? '' : `<br><small>${escaped(column.heading)}</small>`}`,
      `${column.type}${column.known ? '' : '<br><small>unknown</small>'}`,
      number(column.filled),
      percent(column.empty, column.empty + column.filled),
      column.invalid === 0 ? '' : `<span class="breaks">${number(column.invalid)}</span>`,
      `${column.distinctIsExact ? '' : '≈ '}${number(column.distinct)}`,
      column.bytes === null
        ? ''
        : `${number(column.bytes.min)}–${number(column.bytes.max)}, mean ${column.bytes.mean.toFixed(1)}`,
      column.range === null
        ? ''
        : `${escaped(String(column.range.min))} – ${escaped(String(column.range.max))}`,
    ]),
    [2, 3, 4, 5],
  )}`
}

function valuesOf(columns: readonly ColumnProfile[]): string {
  const lines = columns.flatMap(({ name, frequent, filled }) => {
    if (frequent === null || frequent.values.length === 0) return []
    const values = frequent.values.map(
      ({ value, count }) => `<code>${escaped(value)}</code> ${percent(count, filled)}`,
    )
    const about = frequent.isExact ? '' : '<br><small>at least</small>'
    return [[`${escaped(name)}${about}`, values.join(' · ')]]
  })
  return lines.length === 0 ? '' : `<h2>Frequent values</h2>${table(['column', 'values'], lines)}`
}

function invalidCellsOf(columns: readonly ColumnProfile[]): string {
  const lines = columns.flatMap(({ name, invalidCells }) =>
    invalidCells.map(({ row, line, byteOffset, reason, excerpt }) => [
      escaped(name),
      number(row),
      number(line),
      number(byteOffset),
      escaped(reason),
      `<code>${escaped(excerpt)}</code>`,
    ]),
  )
  if (lines.length === 0) return ''
  return `<h2>Invalid cells</h2>${table(['column', 'row', 'line', 'byte', 'reason', 'text'], lines, [1, 2, 3])}`
}

function sampleOf({ sample }: InspectReport): string {
  if (sample.length === 0) return ''
  const rows = sample.map(
    ({ row, line, cells }) =>
      `<h3>Row ${row}, line ${line}</h3>${table(
        ['column', 'value'],
        cells.map(({ column, text, isValid }) => [
          escaped(column),
          isValid ? escaped(text) : `<span class="breaks">invalid</span> ${escaped(text)}`,
        ]),
      )}`,
  )
  return `<h2>Sample</h2>${rows.join('')}`
}
