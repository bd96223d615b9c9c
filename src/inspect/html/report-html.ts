// Writes a report as one HTML page that needs no network and no script: style and plots are in it.
// `html` escapes everything that it is given, so that no field of a report can be markup: a report
// may be JSON that somebody else has stored.

import { checkedReport } from '../checked-report'
import type { Drift } from '../drift/compare-reports'
import type { ColumnProfile, HeaderReport, InspectReport } from '../report'
import { type Content, html, type Markup, PAGE_POLICY, PAGE_STYLE } from './html'
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
  return `${html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${PAGE_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${source}: ${number(rows)} rows</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<h1>${source}</h1>
${[
  factsOf(report),
  drift && driftOf(drift),
  report.header && headerOf(report.header, report.schema),
  badRowsOf(report),
  columns.length > 0 &&
    html`<h2>Cells</h2><div class="plot">${plots.cells}</div><h2>Distinct values</h2><div class="plot">${plots.distinct}</div>`,
  columns.length > MOST_PLOTTED_COLUMNS &&
    html`<p>The plots show the first ${MOST_PLOTTED_COLUMNS} of ${columns.length} columns.</p>`,
  columns.length > 0 && columnsOf(columns),
  valuesOf(columns),
  invalidCellsOf(columns),
  sampleOf(report),
]}
</body>
</html>
`}`
}

function number(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 })
}

function percent(count: number, of: number): string {
  return of === 0 ? '' : `${((count / of) * 100).toFixed(1)}%`
}

/** @param numeric the indexes of the columns that hold numbers */
function table(
  heading: readonly string[],
  lines: readonly (readonly Content[])[],
  numeric: readonly number[] = [],
): Markup {
  const kind = (n: number) => numeric.includes(n) && html` class="n"`
  return html`<div class="wide"><table><thead><tr>${heading.map((name, n) => html`<th${kind(n)}>${name}</th>`)}</tr></thead><tbody>${lines.map(
    line => html`<tr>${line.map((cell, n) => html`<td${kind(n)}>${cell}</td>`)}</tr>`,
  )}</tbody></table></div>`
}

function factsOf({ schema, schemaIsGuess, gzip, failure, ...report }: InspectReport): Content {
  const facts: [name: string, value: string][] = [
    ['rows', number(report.rows)],
    ['bad rows', number(report.badRows.count)],
    ['columns', number(report.columns.length)],
    ['schema', schema === null ? 'none' : `${schema}${schemaIsGuess ? ' (guessed)' : ''}`],
    ['text', `${number(report.textBytes)} bytes`],
  ]
  if (gzip !== null)
    facts.push(
      ['gzip', `${number(gzip.compressedBytes)} bytes, ratio ${number(gzip.ratio)}`],
      ['members', `${number(gzip.verifiedMembers)} of ${number(gzip.members)} verified`],
      ['padding', `${number(gzip.paddingBytes)} bytes`],
      ['name in gzip', gzip.name ?? '—'],
      ['time in gzip', gzip.modifiedAt ?? '—'],
    )
  return [
    failure &&
      html`<p class="breaks"><strong>${failure.code}</strong> The file could not be read to its end; the figures are those up to there. ${failure.message}</p>`,
    html`<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`,
  ]
}

function driftOf(drift: readonly Drift[]): Markup {
  if (drift.length === 0) return html`<h2>Drift</h2><p>No rule found a difference.</p>`
  return html`<h2>Drift</h2>${table(
    ['severity', 'rule', 'column', 'before', 'after'],
    drift.map(({ severity, rule, column, before, after }) => [
      html`<span class="${severity}">${severity}</span>`,
      rule,
      column,
      before,
      after,
    ]),
  )}`
}

function headerOf(header: HeaderReport, schema: string | null): Content {
  const lines = [
    ['missing, required', names(header.missing.filter(({ required }) => required))],
    ['missing', names(header.missing.filter(({ required }) => !required))],
    ['unknown', schema === null ? '' : header.unknown.join(', ')],
    ['renamed', header.renamed.map(({ name, heading }) => `${heading} → ${name}`).join(', ')],
    ['repeated', header.repeated.map(({ name, count }) => `${name} × ${count}`).join(', ')],
    ['deprecated', names(header.deprecated)],
    ['order', header.isInOrder ? '' : 'differs from the schema'],
  ].filter(([, text]) => text !== '')
  if (lines.length === 0)
    return schema !== null && html`<h2>Header</h2><p>The header is as in the schema.</p>`
  return html`<h2>Header</h2>${table(['', 'columns'], lines)}`
}

function names(columns: readonly { readonly name: string }[]): string {
  return columns.map(({ name }) => name).join(', ')
}

/** The position in the message of a bad row, which has cells of its own in the table. */
const PLACE = /^row \d+, line \d+, byte \d+: /

function badRowsOf({ badRows, rows }: InspectReport): Content {
  if (badRows.count === 0) return null
  const codes = badRows.byCode.map(({ code, count }) => `${code} ${number(count)}`).join(', ')
  return html`<h2>Bad rows</h2><p>${number(badRows.count)} (${percent(badRows.count, badRows.count + rows)}): ${codes}</p>${table(
    ['row', 'line', 'byte', 'reason', 'text'],
    badRows.first.map(({ row, line, byteOffset, message, excerpt }) => [
      number(row),
      number(line),
      number(byteOffset),
      message.replace(PLACE, ''),
      html`<code>${excerpt}</code>`,
    ]),
    [0, 1, 2],
  )}`
}

function columnsOf(columns: readonly ColumnProfile[]): Markup {
  return html`<h2>Columns</h2>${table(
    ['column', 'type', 'filled', 'empty', 'invalid', 'distinct', 'bytes', 'range'],
    columns.map(column => [
      [column.name, column.heading !== column.name && html`<br><small>${column.heading}</small>`],
      [column.type, !column.known && html`<br><small>unknown</small>`],
      number(column.filled),
      percent(column.empty, column.empty + column.filled),
      column.invalid > 0 && html`<span class="breaks">${number(column.invalid)}</span>`,
      `${column.distinctIsExact ? '' : '≈ '}${number(column.distinct)}`,
      column.bytes &&
        `${number(column.bytes.min)}–${number(column.bytes.max)}, mean ${column.bytes.mean.toFixed(1)}`,
      column.range && `${column.range.min} – ${column.range.max}`,
    ]),
    [2, 3, 4, 5],
  )}`
}

function valuesOf(columns: readonly ColumnProfile[]): Content {
  const lines = columns.flatMap(({ name, frequent, filled }) => {
    if (frequent === null || frequent.values.length === 0) return []
    const values = frequent.values.map(({ value, count }, n) => [
      n > 0 && ' · ',
      html`<code>${value}</code> ${percent(count, filled)}`,
    ])
    return [[[name, !frequent.isExact && html`<br><small>at least</small>`], values]]
  })
  return lines.length > 0 && html`<h2>Frequent values</h2>${table(['column', 'values'], lines)}`
}

function invalidCellsOf(columns: readonly ColumnProfile[]): Content {
  const lines = columns.flatMap(({ name, invalidCells }) =>
    invalidCells.map(({ row, line, byteOffset, reason, excerpt }) => [
      name,
      number(row),
      number(line),
      number(byteOffset),
      reason,
      html`<code>${excerpt}</code>`,
    ]),
  )
  return (
    lines.length > 0 &&
    html`<h2>Invalid cells</h2>${table(['column', 'row', 'line', 'byte', 'reason', 'text'], lines, [1, 2, 3])}`
  )
}

function sampleOf({ sample }: InspectReport): Content {
  const rows = sample.map(
    ({ row, line, cells }) =>
      html`<h3>Row ${row}, line ${line}</h3>${table(
        ['column', 'value'],
        cells.map(({ column, text, isValid }) => [
          column,
          [!isValid && html`<span class="breaks">invalid</span> `, text],
        ]),
      )}`,
  )
  return rows.length > 0 && html`<h2>Sample</h2>${rows}`
}
