// What the rows of a file are: their columns, how they are written, and the key and the version of
// each. Those of a file of the service follow from its feed; a feed of one's own has its own.

import {
  type Columns,
  type Dialect,
  defineSchema,
  type FeedSchema,
  type RowBatch,
} from '../../engine/index'
import type { KeyRules } from '../../state/index'
import { type FileId, isOwn, keyColumnOf, schemaOfFile } from '../file-id'

export interface RowRules extends KeyRules {
  readonly schema: FeedSchema<Columns>
  /** The column of the version, where a column of one's own has it. */
  readonly version?: string | undefined
  /** Default: that of the documented files. */
  readonly dialect?: Dialect | undefined
  /** That the files are tables, whatever they begin with. */
  readonly content?: 'table' | undefined
  /** Returns rows as they are stored. Default: as the file has them. */
  readonly stored?: ((batch: RowBatch<Columns>) => RowBatch<Columns>) | undefined
}

/** By which columns the rows of a feed of one's own are kept, as a target stores it. */
export interface KeptBy extends Pick<RowRules, 'key' | 'version'> {
  /** Times and numbers are compared as numbers, and every time is more than a revision. */
  readonly versionType?: 'timestamp' | 'number'
}

export function keptBy({ key, version, schema }: RowRules): KeptBy {
  const type = version && schema.columns[version]!.type
  if (type === undefined) return { key }
  return { key, version, versionType: type === 'timestamp' ? type : 'number' }
}

/** Returns by what other column rows are kept, if any. What is not known is no other one. */
export function keptOtherwise(was: Partial<KeptBy>, is: KeptBy) {
  for (const what of ['key', 'version'] as const) {
    const [expected, received] = [was, is].map(kept => kept[what] ?? 'none') as [string, string]
    if (expected !== received) return { what, expected, received }
  }
  const [old, now] = [was.versionType, is.versionType]
  if (old === undefined || now === undefined || old === now) return undefined
  return { what: 'version' as const, expected: `a ${old}`, received: `a ${now}` }
}

/**
 * Returns the schema with no column `required` or `notNull`: rows of files under an earlier schema may
 * lack it.
 */
export function withoutRequired({ name, columns }: FeedSchema<Columns>): FeedSchema<Columns> {
  const free = Object.entries(columns).map(([column, spec]) => {
    const { required: _, notNull: __, ...rest } = spec
    return [column, rest]
  })
  return defineSchema({ name, columns: Object.fromEntries(free) })
}

/** @param own the rules of the feed of one's own, where the file is one of it */
export function rowRulesOf(id: FileId, own: RowRules | undefined): RowRules {
  if (isOwn(id)) return own!
  return { schema: schemaOfFile(id), key: keyColumnOf(id) }
}
