// The types of DuckDB for the columns of a schema.

import {
  type ArrowType,
  arrowTypeOf,
  type ColumnSpec,
  DECIMAL_DIGITS as MOST_DIGITS,
  sqlIdentifier,
} from '../../engine/index'

const TYPES: { readonly [K in ArrowType['kind']]?: string } = {
  utf8: 'VARCHAR',
  dictionary: 'VARCHAR',
  int32: 'INTEGER',
  int64: 'BIGINT',
  float64: 'DOUBLE',
  boolean: 'BOOLEAN',
  date: 'DATE',
}

interface TypeOptions {
  /** Digits of a decimal. */
  readonly digits?: number
  readonly timestamp?: string
}

/** The type of a column of a table. Its timestamps are microseconds in UTC. */
export function sqlTypeOf(type: ArrowType, options: TypeOptions = {}): string {
  const { digits = MOST_DIGITS, timestamp = 'TIMESTAMP' } = options
  switch (type.kind) {
    case 'decimal':
      return `DECIMAL(${digits}, ${type.scale})`
    case 'timestamp':
      return timestamp
    case 'list':
      return `${sqlTypeOf(type.item, options)}[]`
    case 'struct': {
      const fields = type.fields.map(
        ({ name, type: of }) => `${sqlIdentifier(name)} ${sqlTypeOf(of, options)}`,
      )
      return `STRUCT(${fields.join(', ')})`
    }
    default:
      return TYPES[type.kind]!
  }
}

/** The type whose vectors have the values of a column as they are. An INSERT converts it. */
export function vectorTypeOf(type: ArrowType): string {
  return sqlTypeOf(type, { timestamp: 'TIMESTAMP_MS' })
}

/** Texts by column name: the cells that have no column of their own. */
export const OTHER_CELLS: ArrowType = {
  kind: 'list',
  item: {
    kind: 'struct',
    fields: [
      { name: 'key', type: { kind: 'utf8' } },
      { name: 'value', type: { kind: 'utf8' } },
    ],
  },
}
export const OTHER_CELLS_SQL = 'MAP(VARCHAR, VARCHAR)'

/** Digits of a decimal whose column states no scale, in all and behind the point. */
export const DECIMAL_DIGITS = 18
const DECIMAL_SCALE = 4

export function scaleOf({ scale = DECIMAL_SCALE }: Pick<ColumnSpec, 'scale'>): number {
  return scale
}

/** The type of a column of a target. */
export function targetTypeOf(spec: ColumnSpec): string {
  if (spec.type !== 'decimal') return sqlTypeOf(arrowTypeOf(spec))
  const type = arrowTypeOf({ ...spec, scale: scaleOf(spec) })
  return sqlTypeOf(type, spec.scale === undefined ? { digits: DECIMAL_DIGITS } : {})
}
