// The types that PostgreSQL gives the columns of a schema, and the
// values of cells as the text that PostgreSQL reads, before the escapes of COPY. That text has
// neither NUL nor half of a surrogate pair, which PostgreSQL has not in text and in jsonb.

import type { ColumnForm, ColumnSpec, PlannedColumn } from '../../engine/index'
import { cellText, DECIMAL_DIGITS, jsonWriter, KINDS, UNFIT } from '../../engine/index'

/** Returns the type of a column: `text`, `numeric`, `text[]`, `jsonb` and so on. */
export function sqlTypeOf({ type, element, scale }: Omit<ColumnSpec, '__cell'>): string {
  if (type === 'list') {
    const scalar = sqlTypeOf(element ?? { type: 'text' })
    return scalar === 'jsonb' ? scalar : `${scalar}[]`
  }
  if (scale !== undefined) return `numeric(${DECIMAL_DIGITS}, ${scale})`
  const { scalar = 'jsonb' } = KINDS[type]
  return scalar === 'timestamp' ? 'timestamptz' : scalar
}

/** A column of a table: that of a target, or a planned one of a sink. */
export type SqlColumn = Pick<PlannedColumn, 'name' | 'sqlName' | 'spec'> & Partial<PlannedColumn>

/** Returns the text of a value, or undefined where PostgreSQL has no such value. */
export type SqlText = (value: NonNullable<unknown>) => string | undefined

/** PostgreSQL's numeric has more digits than that before and behind the point. */
export const MAX_NUMERIC_CHARS = 10_000

export function sqlTextOf(spec: ColumnSpec): SqlText {
  const type = sqlTypeOf(spec)
  if (type === 'jsonb') return jsonText
  if (!type.endsWith('[]')) return scalarText(type)
  const elementText = scalarText(type.slice(0, -2))
  return value => arrayText(value, elementText)
}

/**
 * Returns whether a value is what an empty cell of its column reads as, which is NULL. An empty
 * array of JSON is a value.
 */
export function isEmptyList({ type }: ColumnSpec, value: unknown): boolean {
  return type !== 'json' && type !== 'cell' && Array.isArray(value) && value.length === 0
}

/** How a sink writes a column. */
export function columnFormOf(spec: ColumnSpec, isRequired: boolean): ColumnForm {
  const sql = sqlTypeOf(spec)
  const isJson = sql === 'jsonb'
  const textOf = isJson ? writeJson : sqlTextOf(spec)
  return {
    sql,
    convert(value) {
      if (!isRequired && isEmptyList(spec, value)) return null
      const text = textOf(value as NonNullable<unknown>)
      const isFit =
        text !== undefined && !text.includes('\0') && !(isJson && jsonbProblem(text) !== undefined)
      return isFit ? text : UNFIT
    },
  }
}

function scalarText(type: string): SqlText {
  if (type === 'timestamptz') return timeText
  if (type.startsWith('numeric')) return numericText
  if (type === 'date') return value => plainDay(String(value))
  return cellText
}

function timeText(value: unknown): string | undefined {
  const time = value as Date
  const year = time.getUTCFullYear()
  return year >= 1 && year <= 9999 ? time.toISOString() : undefined
}

function numericText(value: unknown): string | undefined {
  const text = String(value)
  return text.length <= MAX_NUMERIC_CHARS ? text : undefined
}

/** PostgreSQL has no year 0. */
function plainDay(text: string): string | undefined {
  return text.startsWith('0000') ? undefined : text
}

function arrayText(value: unknown, elementText: SqlText): string | undefined {
  if (!Array.isArray(value)) return undefined
  const texts: string[] = []
  for (const element of value) {
    if (element === null || element === undefined) texts.push('NULL')
    else {
      const text = elementText(element)
      if (text === undefined) return undefined
      texts.push(`"${text.replace(/["\\]/g, '\\$&')}"`)
    }
  }
  return `{${texts.join(',')}}`
}

/** The most levels of a jsonb, a third of what the server's default `max_stack_depth` takes. */
const MOST_LEVELS = 4_000
/** What is not there in most JSON: escapes that jsonb may refuse, and large exponents. */
const DOUBTFUL = /\\u(?:0000|d[89a-f])|\de[+-]?\d{3}/i

const PARTS = /"[^"\\]*(?:\\.[^"\\]*)*"|[[{]|[\]}]|-?[\d.]+(?:e([+-]?\d+))?/gi
/** An escaped backslash or a whole surrogate pair, which say nothing about what follows. */
const HARMLESS = /\\\\|\\ud[89ab]..\\ud[c-f]../gi
const REFUSED = /\\u(?:0000|d[89a-f])/i

/** Returns what jsonb refuses in JSON: an escape, or the size of a number and the depth. */
function jsonbProblem(json: string): 'escape' | 'size' | undefined {
  if (json.length <= MOST_LEVELS && !DOUBTFUL.test(json)) return undefined
  let depth = 0
  for (const [part, exponent = 0] of json.matchAll(PARTS)) {
    if (part.startsWith('"')) {
      if (REFUSED.test(part.replace(HARMLESS, ''))) return 'escape'
    } else if (part === ']' || part === '}') depth--
    else if (part === '[' || part === '{') depth++
    if (
      depth > MOST_LEVELS ||
      (part[0] !== '"' && part.length + Math.abs(Number(exponent)) > MAX_NUMERIC_CHARS)
    )
      return 'size'
  }
  return undefined
}

const writeJson = jsonWriter()

/** Returns JSON as a target has it, with U+FFFD for what jsonb refuses in strings. */
export function jsonText(value: unknown): string | undefined {
  const json = writeJson(value)
  const problem = json && jsonbProblem(json)
  if (json === undefined || !problem) return json
  return problem === 'size' ? undefined : JSON.stringify(withReplaced(JSON.parse(json)))
}

function withReplaced(value: unknown): unknown {
  if (typeof value === 'string') return plainText(value)
  if (Array.isArray(value)) return value.map(withReplaced)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [plainText(name), withReplaced(each)]),
  )
}

/** Returns text as PostgreSQL can have it. */
export function plainText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').toWellFormed()
}
