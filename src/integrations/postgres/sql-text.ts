// Values of cells as the text that PostgreSQL reads, before the escapes of COPY. It has neither NUL
// nor half of a surrogate pair, which PostgreSQL has not in text and in jsonb.

import type { ColumnSpec } from '../../engine/index'
import { jsonWriter } from '../../engine/index'
import { sqlTypeOf } from './sql-types'

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

function scalarText(type: string): SqlText {
  if (type === 'timestamptz') return timeText
  if (type === 'numeric') return numericText
  if (type === 'date') return value => plainDay(String(value))
  return String
}

function timeText(value: unknown): string | undefined {
  const time = value instanceof Date ? value : new Date(String(value))
  if (Number.isNaN(time.getTime())) return undefined
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

/** JSON has these escapes where jsonb refuses the character. */
const REFUSED_ESCAPES = /\\u(?:0000|d[89a-f])/

const writeJson = jsonWriter()

export function jsonText(value: unknown): string | undefined {
  const json = writeJson(value)
  if (json === undefined || !REFUSED_ESCAPES.test(json)) return json
  return JSON.stringify(withReplaced(JSON.parse(json)))
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
