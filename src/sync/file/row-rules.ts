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
