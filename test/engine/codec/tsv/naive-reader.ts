// A reader of whole texts in any dialect, by regular expressions over strings: the oracle of what the
// options of a dialect mean. It shares nothing with the parser.

import type { Dialect } from '../../../../src/engine/codec/tsv/dialect'

export interface NaiveRow {
  readonly cells: readonly string[]
  readonly row: number
  readonly line: number
  readonly byteOffset: number
}

export interface NaiveReading {
  readonly names: readonly string[]
  readonly rows: readonly NaiveRow[]
  /** Code and line of each bad row. */
  readonly bad: readonly (readonly [code: string, line: number])[]
}

const QUOTED = { backslash: /"(?:[^"\\]|\\[\s\S])*"/, doubled: /"(?:[^"]|"")*"/ }
const NEVER = /[^\s\S]/
const ESCAPES: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '\\': '\\' }

/** Reads a text whose quoted cells are well formed. */
export function naiveReading(text: string, dialect: Dialect): NaiveReading {
  let at = text.startsWith('\ufeff') ? 1 : 0
  const [, separator] = /^sep=(.)\r?\n/.exec(text.slice(at)) ?? []
  const delimiter = separator ?? dialect.delimiter ?? '\t'
  const quoting = dialect.quoting ?? (separator === undefined ? 'backslash' : 'doubled')
  const quoted = quoting === 'backslash' || quoting === 'doubled' ? QUOTED[quoting] : NEVER
  const end = `(${escaped(delimiter)}|\r?\n|$)`
  const cellAndEnd = new RegExp(`(${quoted.source}|[^${escaped(delimiter)}\n]*?)${end}`, 'y')
  const isQuoted = new RegExp(`^(?:${quoted.source})$`)

  const passLine = () => {
    const next = text.indexOf('\n', at)
    at = next < 0 ? text.length : next + 1
  }
  const textOf = (raw: string, isHeading = false) => {
    const cut = dialect.trim ? raw.replace(/^[\0- ]+|[\0- ]+$/g, '') : raw
    const inner = cut.slice(1, -1)
    let cell = cut
    if (isQuoted.test(cut))
      cell = quoting === 'doubled' ? inner.replaceAll('""', '"') : inner.replace(/\\(["\\])/g, '$1')
    if (!isHeading && dialect.nulls?.includes(cell)) return ''
    return quoting === 'escapes' ? cell.replace(/\\([tnr\\])/g, (_, name) => ESCAPES[name]!) : cell
  }
  const readRaw = () => {
    const raws: string[] = []
    for (;;) {
      cellAndEnd.lastIndex = at
      const [all, raw, by] = cellAndEnd.exec(text)!
      at += all!.length
      raws.push(raw!)
      if (by !== delimiter) return raws
    }
  }

  const lines = Math.max(dialect.skipLines ?? 0, separator === undefined ? 0 : 1)
  for (let n = 0; n < lines; n++) passLine()
  const isPassed = () =>
    text[at] === dialect.comment ||
    (dialect.blankLines === 'skip' && /^\r?\n/.test(text.slice(at, at + 2)))
  while (at < text.length && isPassed()) passLine()
  const names = Array.isArray(dialect.header)
    ? (dialect.header as string[])
    : readRaw().map(raw => textOf(raw, true))
  for (let n = 0; n < (dialect.unitLines ?? 0); n++) passLine()

  const rows: NaiveRow[] = []
  const bad: [string, number][] = []
  for (let row = 1; at < text.length; row++) {
    const before = text.slice(0, at)
    const line = before.split('\n').length
    const raws = readRaw()
    const isBlank = raws.length === 1 && raws[0] === ''
    if (isBlank && dialect.blankLines === 'skip') continue
    const headings = raws.map(raw => textOf(raw, true))
    headings[0] = headings[0]!.replace(/^\ufeff/, '')
    const isHeader = JSON.stringify(headings) === JSON.stringify(names)
    if (isHeader && dialect.repeatedHeader === 'skip') continue
    const cells = raws.map(raw => textOf(raw))
    const isFilled = dialect.shortRows === 'fill' && !isBlank
    while (isFilled && cells.length < names.length) cells.push('')
    if (cells.length > names.length) bad.push(['TSV_ROW_LONG', line])
    else if (cells.length < names.length)
      bad.push([isBlank ? 'TSV_ROW_BLANK' : 'TSV_ROW_SHORT', line])
    else rows.push({ cells, row, line, byteOffset: Buffer.byteLength(before) })
  }
  return { names, rows, bad }
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
