// Lines of JSON as rows: each line is an object, and its members are the cells of a row. JSON.parse
// says whether a line is JSON. This module finds the texts of its values, because a value would no
// longer have the digits of a number, and says which names are the columns of the file.

import { isUtf8 } from 'node:buffer'
import { excerpt, type RowPosition } from '../../errors'
import { type ColumnSpec, spellingOf } from '../../schema/column-spec'
import type { FeedSchema } from '../../schema/feed-schema'
import { decodeList } from '../kinds/list'
import type { BadRowReason } from './bad-row-report'
import { type BoundHeader, countKnownNames, MAX_COLUMNS } from './header'
import type { InputWindow } from './input-window'
import type { BlankLine, IncompleteRow, LeftOutRow } from './judge-row'
import { headerInvalid } from './read-header'
import { type GoodRow, nextLine } from './read-row'
import type { ScanSpace } from './scan-space'

/** The names of so many lines at the start of a file are its columns. */
const NAMING_LINES = 1000
const MOST_DEPTH = 512
const BLANK = /^[ \t\r]*$/
const LONE_SURROGATE = /\p{Surrogate}/u
const ARRAY =
  "it is one array: write its elements as lines of JSON, for example with jq -c '.[]', and read these"

/** Why a line is no row. */
interface Fault {
  readonly reason: string
  /** The name of the member at fault. */
  readonly column?: string
}

/** The texts of values by their names, as the line has them. */
type Members = ReadonlyMap<string, string>

export class JsonRows {
  /** The texts of the cells of good rows, by the slots of their rows. */
  readonly texts: (readonly string[])[] = []
  readonly #nulls: ReadonlySet<string>
  #columns: ReadonlyMap<string, readonly [index: number, spec: ColumnSpec]> = new Map()
  #count = 0
  #passesOthers = false

  /** @param nulls words for null */
  constructor(nulls: readonly string[] = []) {
    this.#nulls = new Set(nulls)
  }

  /** @param passesOthers true where members that are no columns are passed over */
  begin({ columns }: BoundHeader, passesOthers: boolean): void {
    this.#columns = new Map(columns.map(({ heading, spec }, at) => [heading, [at, spec]]))
    this.#count = columns.length
    this.#passesOthers = passesOthers
  }

  /** Judges the line at the offset `from` of the block, as `judgeRow` does, for the next slot. */
  judge(
    { bytes, filled, isFinal }: InputWindow,
    from: number,
    { columns, rows: slot }: ScanSpace,
    maxRowBytes: number,
  ): GoodRow | IncompleteRow | LeftOutRow | BlankLine {
    const isCut = filled - from > maxRowBytes
    const to = isCut ? from + maxRowBytes : filled
    const next = nextLine(bytes, from, to)
    if (from >= filled || (next < 0 && !isCut && !isFinal)) return { kind: 'incomplete' }
    const end = next < 0 ? to : next
    const leftOut = (reason: BadRowReason) =>
      ({ kind: 'left-out', reason, next, readTo: end }) as const
    if (next < 0 && isCut) return leftOut({ code: 'TSV_ROW_TOO_LARGE', limitBytes: maxRowBytes })
    const line = textOf(bytes.subarray(from, next < 0 ? to : next - 1))
    if (BLANK.test(line)) return { kind: 'blank', next: end }
    const texts = this.#textsOf(line)
    if (!Array.isArray(texts)) return leftOut({ code: 'TSV_JSON_INVALID', ...(texts as Fault) })
    this.texts[slot] = texts
    // The cells are not in the block.
    return { kind: 'row', cellEnds: new Array(columns).fill(end), next: end, innerLines: 0 }
  }

  #textsOf(line: string): readonly string[] | Fault {
    const members = membersOf(line)
    if (!isMembers(members)) return members
    const texts = new Array<string>(this.#count).fill('')
    for (const [name, json] of members) {
      const column = excerpt(name)
      const [at, spec] = this.#columns.get(name) ?? []
      if (at === undefined && this.#passesOthers) continue
      if (at === undefined || spec === undefined)
        return {
          reason: `${shown(name)} is no column: name it in the schema or the header`,
          column,
        }
      const text = cellText(json, spec)
      if (text === undefined)
        return { reason: `values of ${shown(name)} cannot stand between separators`, column }
      if (LONE_SURROGATE.test(text))
        return { reason: `${shown(name)} has one half of a surrogate pair`, column }
      texts[at] = this.#nulls.has(text) ? '' : text
    }
    return texts
  }
}

/**
 * Returns the columns of the file that the window is at the start of: the names of its first objects,
 * and the columns of the schema that a file may lack. Undefined while more input is needed.
 * @throws FeedError TSV_HEADER_INVALID
 */
export function readNames(
  { bytes, at, filled, isFinal }: InputWindow,
  place: RowPosition,
  schema: FeedSchema,
  maxRowBytes: number,
): readonly string[] | undefined {
  const isCut = filled - at > maxRowBytes
  const to = isCut ? at + maxRowBytes : filled
  const names = new Set<string>()
  let fault = isCut ? `the first line has more than the ${maxRowBytes} bytes of maxRowBytes` : ''
  for (let [lines, from] = [0, at]; lines < NAMING_LINES; lines++) {
    const next = nextLine(bytes, from, to)
    const isLast = next < 0 && isFinal && !isCut
    if (next < 0 && isCut) break
    if (next < 0 && !isLast) return undefined
    const line = bytes.subarray(from, isLast ? to : next - 1)
    const members = isUtf8(line) ? membersOf(textOf(line)) : { reason: 'it is not UTF-8' }
    if (isMembers(members)) for (const name of members.keys()) names.add(name)
    else if (lines === 0) fault = members.reason
    if (isLast) break
    from = next
  }
  const invalid = (reason: string) => headerInvalid(`as lines of JSON: ${reason}`, place)
  if (names.size === 0) throw invalid(fault || 'no object has a member')
  if (names.size > MAX_COLUMNS) throw invalid(`more than ${MAX_COLUMNS} names`)
  const columns = Object.entries(schema.columns)
  if (columns.length > 0 && countKnownNames(schema, [...names]) === 0)
    throw invalid(`none of its names is in the schema (${schema.name}): give its own, or none`)
  const spellings = new Set(Array.from(names, spellingOf))
  for (const [name, { aliases = [], required, notNull }] of columns)
    if (!required && !notNull && ![name, ...aliases].some(one => spellings.has(spellingOf(one))))
      names.add(name)
  return [...names]
}

/** @throws FeedError TSV_HEADER_INVALID where the window is at the start of an array */
export function refuseArray({ bytes, at, filled }: InputWindow, place: RowPosition): void {
  let first = at
  while (first < filled && bytes[first]! <= 0x20) first++
  if (bytes[first] === 0x5b && first < filled) throw headerInvalid(ARRAY, place)
}

/** Returns the members of an object in a line, or what is wrong with the line. */
function membersOf(line: string): Members | Fault {
  try {
    JSON.parse(line)
  } catch (error) {
    // The rest of the message may have a part of the line, which need not be for every eye.
    const [, at] = /at position (\d+)/.exec((error as Error).message) ?? []
    return { reason: at === undefined ? 'no JSON' : `no JSON from character ${Number(at) + 1} on` }
  }
  const json = line.trim()
  if (json[0] !== '{') return { reason: 'no object of JSON' }
  const parts = partsOf(json)
  if (parts === undefined) return { reason: `more than ${MOST_DEPTH} levels of objects and lists` }
  const members = new Map<string, string>()
  for (const [name, value] of parts) {
    const column = excerpt(name)
    if (members.has(name)) return { reason: `${shown(name)} twice in an object`, column }
    if (LONE_SURROGATE.test(name)) return { reason: 'a name with half of a surrogate pair' }
    members.set(name, value)
  }
  return members
}

function isMembers(found: Members | Fault): found is Members {
  return found instanceof Map
}

/**
 * Returns the members of an object or the elements of an array, with the texts of their values;
 * undefined where it is too deep.
 * @param json the object or the array, which is valid
 */
function partsOf(json: string): readonly (readonly [name: string, value: string])[] | undefined {
  const parts: (readonly [string, string])[] = []
  let [name, start, depth] = ['', 1, 0]
  for (let at = 0; at < json.length; at++) {
    const char = json[at]!
    if (char === '"') at = endOfString(json, at)
    else if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    if (depth > MOST_DEPTH) return undefined
    if (char === ':' && depth === 1) {
      name = JSON.parse(json.slice(start, at))
      start = at + 1
    } else if (depth === 0 || (char === ',' && depth === 1)) {
      const value = json.slice(start, at).trim()
      if (value !== '') parts.push([name, value])
      start = at + 1
    }
  }
  return parts
}

/** Returns the offset of the quote that closes the string at `from`. */
function endOfString(json: string, from: number): number {
  let at = from + 1
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at
}

/** Returns the text of a cell; undefined where a cell of its kind cannot have the value. */
function cellText(
  json: string,
  { type, separator = '' }: Pick<ColumnSpec, 'type' | 'separator'>,
): string | undefined {
  if (json === 'null') return ''
  if (json[0] === '"') return JSON.parse(json)
  if (json[0] !== '[' || type !== 'list') return json
  const values = partsOf(json)!.map(([, value]) => cellText(value, { type: 'text' }))
  const text = values.join(separator)
  const read = decodeList(text, separator)
  return read.length === values.length && read.every((one, n) => one === values[n])
    ? text
    : undefined
}

function textOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8')
}

function shown(name: string): string {
  return JSON.stringify(excerpt(name))
}
