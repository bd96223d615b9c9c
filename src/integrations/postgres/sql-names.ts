// Names in SQL: quoted identifiers, the names of columns, and the tables of a target.

import { createHash } from 'node:crypto'
import { is, optionInvalid, sqlIdentifier } from '../../engine/index'

/** PostgreSQL cuts longer names without a word, and two names could become one. */
const NAME_LIMIT_BYTES = 63

const SYSTEM_COLUMNS = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']

/** Returns why no column can have the name; undefined where one can. */
export function columnFault(name: string): string | undefined {
  if (name === '') return 'it is empty'
  if (SYSTEM_COLUMNS.includes(name)) return 'each table has a system column of this name'
  return Buffer.byteLength(name) > NAME_LIMIT_BYTES ? 'it is longer than 63 bytes' : undefined
}

/** Checks for a name that PostgreSQL keeps as it is. @throws FeedError OPTION_INVALID */
export function sqlName(option: string, name: string): string {
  if (!is.filledText(option, name).includes('\0') && Buffer.byteLength(name) <= NAME_LIMIT_BYTES)
    return name
  throw optionInvalid(option, `a name of at most ${NAME_LIMIT_BYTES} bytes without NUL`, name)
}

/** Tables of a target by their quoted names. */
export class TargetNames {
  readonly schema: string
  readonly #prefix: string

  /** @throws FeedError OPTION_INVALID */
  constructor(schema: string, prefix: string) {
    this.schema = sqlName('schema', schema)
    this.#prefix = is.anyText('prefix', prefix)
    if (prefix.includes('\0') || Buffer.byteLength(prefix) > MAX_PREFIX_BYTES)
      throw optionInvalid('prefix', `text of at most ${MAX_PREFIX_BYTES} bytes without NUL`, prefix)
  }

  table(name: string): string {
    return `${sqlIdentifier(this.schema)}.${sqlIdentifier(this.plainTable(name))}`
  }

  /** The name of the table without its schema and without quotes. */
  plainTable(name: string): string {
    return this.#prefix + name
  }

  /** PostgreSQL gives the constraint of a key, and a table beside this one, a longer name. */
  tableFault(name: string): string | undefined {
    const most = NAME_LIMIT_BYTES - 'feedmill_'.length
    const isShort = Buffer.byteLength(this.plainTable(name)) <= most
    return isShort ? undefined : `it is longer than ${most} bytes with the prefix`
  }

  /** The name of one of the target's tables without the prefix; undefined for another table. */
  ownName(plain: string): string | undefined {
    return plain.startsWith(this.#prefix) ? plain.slice(this.#prefix.length) : undefined
  }

  /** The key of an advisory lock: a number of 64 bits as text. */
  lockKey(...identifiers: readonly string[]): string {
    const names = JSON.stringify(['feedmill', this.schema, this.#prefix, ...identifiers])
    return String(createHash('sha256').update(names).digest().readBigInt64BE())
  }
}

/** It leaves room in {@link NAME_LIMIT_BYTES} for the names of tables and of their indexes. */
const MAX_PREFIX_BYTES = 20
