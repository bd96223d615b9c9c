// The shapes of decoded cells. codec/kinds/ has their decoders.

/**
 * A decimal number with the exact text of the feed, which becomes a number on demand. A structured
 * clone has its `text` alone: send that to another thread.
 */
export interface Decimal {
  /** The text of the file. */
  readonly text: string
  /** Returns the nearest double. */
  toNumber(): number
  toString(): string
  toJSON(): string
}

/** One name and value pair of an aspects cell, decoded. */
export interface Aspect {
  /** The label that the pair stands under, or null where none precedes it. */
  readonly label: string | null
  readonly name: string
  /** Null in the names-only form of `variesByLocalizedAspects`. */
  readonly value: string | null
}

/** One entry of a `conditionDescriptors` cell, decoded: a name and its values in order. */
export interface ConditionDescriptor {
  readonly name: string
  readonly values: readonly string[]
}

/**
 * Where an item ships, or does not: ISO 3166 country codes and region names (item-feeds.md,
 * section 2.5). New names are kept.
 */
export interface Regions {
  readonly countries: readonly string[]
  readonly regions: readonly string[]
}

/**
 * The type that each kind of column without parameters is read as. Empty cells, quoted or not, give
 * null, or an empty list. Rows share lists and regions, frozen.
 */
export interface CellTypes {
  text: string | null
  int32: number | null
  int64: bigint | null
  decimal: Decimal | null
  float64: number | null
  boolean: boolean | null
  /** `yyyy-MM-dd` */
  date: string | null
  timestamp: Date | null
  json: unknown
  aspects: readonly Aspect[]
  conditionDescriptors: readonly ConditionDescriptor[]
  regions: Regions | null
}

/** The kinds of columns: those without parameters, and `oneOf`, `list` and `cell`, which have some. */
export type CellType = keyof CellTypes | 'oneOf' | 'list' | 'cell'

/** All kinds, and whether a list may have their values. */
const cellTypes: Readonly<Record<CellType, boolean>> = {
  text: true,
  int32: true,
  int64: true,
  decimal: true,
  float64: true,
  boolean: true,
  date: true,
  timestamp: true,
  json: false,
  oneOf: true,
  list: false,
  cell: true,
  aspects: false,
  conditionDescriptors: false,
  regions: false,
}

/** The names of all cell types. */
export const CELL_TYPES = Object.keys(cellTypes) as readonly CellType[]
/** The names of those that the values of a list can have. */
export const ELEMENT_TYPES = CELL_TYPES.filter(type => cellTypes[type])
