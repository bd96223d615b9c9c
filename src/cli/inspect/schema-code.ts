// Writes a schema that a file has proved: as JSON, which `--schema` reads, and as the TypeScript that
// defines it.

import type { ColumnSpec } from '../../index'
import type { InferredSchema } from '../../inspect'
import { jsonText } from '../output'

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/

export function schemaJson({ schema: { name, columns }, dialect }: InferredSchema): string {
  return jsonText({ name, ...(Object.keys(dialect).length > 0 && { dialect }), columns }, 2)
}

/** Returns the lines of a module that exports the schema and the dialect of its file. */
export function schemaCode({ schema, dialect }: InferredSchema): string[] {
  const columns = Object.entries(schema.columns)
  const kinds = new Set(columns.map(([, { type }]) => type))
  const names = ['type Dialect', 'defineSchema', ...kinds].join(', ')
  return [
    `import { ${names} } from 'feedmill'`,
    '',
    'export const schema = defineSchema({',
    `  name: ${jsonText(schema.name)},`,
    '  columns: {',
    ...columns.map(([name, spec]) => `    ${property(name)}: ${callOf(spec)},`),
    '  },',
    '})',
    '',
    `export const dialect: Dialect = ${jsonText(dialect)}`,
  ]
}

function callOf({ type, scale }: ColumnSpec): string {
  return scale === undefined ? `${type}()` : `${type}({ scale: ${scale} })`
}

/** In brackets, `__proto__` is a property as any other. */
function property(name: string): string {
  if (name === '__proto__') return `['${name}']`
  return PLAIN_NAME.test(name) ? name : jsonText(name)
}
