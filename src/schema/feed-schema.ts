// What a feed's columns are, as data: name, type, aliases, deprecation, where the documents say so.
// Binding a schema to the header of a real file is codec/tsv/header.ts.

import type { CellType, CellTypes } from './values'

export interface ColumnSpec<T extends CellType = CellType> {
  readonly type: T
  /** Other header spellings, beside the column's name; all are matched without regard to case. */
  readonly aliases?: readonly string[]
  /** A file without it, or with it twice, is refused. */
  readonly required?: true
  /** What the documents say of its end, where they do. */
  readonly deprecated?: string
  /** Document and section, e.g. `2 · Item feed columns`. */
  readonly source: string
}

export type Columns = Readonly<Record<string, ColumnSpec>>

export type FeedName = 'item' | 'item_group' | 'item_snapshot' | 'item_priority'

export interface FeedSchema<C extends Columns = Columns> {
  readonly feed: FeedName | 'other'
  readonly columns: C
}

/** The type of one cell of a schema: of a known column its own, of any other column text. */
export type CellOf<C extends Columns, N extends string> = N extends keyof C ? CellTypes[C[N]['type']] : string | null

/** A row as a plain object: every schema column typed, every other column of the file as text. */
export type RowObject<C extends Columns> = { -readonly [N in keyof C]: CellTypes[C[N]['type']] } & { [other: string]: unknown }

/** The columns of C that are named; those of the file alone are in no schema. Of names that only run time knows, nothing is known. */
export type ChosenColumns<C extends Columns, N extends string> = string extends N ? Columns : Pick<C, Extract<keyof C, N>>

/** Which file a row came from, as far as the caller knows. */
export interface FeedFile {
  readonly feed: FeedName | 'other'
  readonly marketplace?: string
  readonly categoryId?: string
  readonly scope?: 'ALL_ACTIVE' | 'NEWLY_LISTED'
  /** The day of a daily file, `yyyyMMdd`. */
  readonly date?: string
  /** The hour H of a snapshot file, as its first instant. */
  readonly hour?: Date
  /** `Last-Modified`: the file's generation. */
  readonly lastModified?: Date
}

/** Keeps the literal types of the columns. */
export function defineSchema<const C extends Columns>(feed: FeedSchema['feed'], columns: C): FeedSchema<C> {
  return { feed, columns }
}
