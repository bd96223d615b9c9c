// The JSON Schemas of the bodies, made from the shapes that the clients read by. A client tolerates
// missing and additional fields. The description of this service is strict: it sends every
// documented field except the few that are named here, and no other.

import { SHAPES, z } from '../../service/index'
import ownSchemas from './own-schemas.json'

/** A JSON Schema (draft 2020-12, as OpenAPI 3.1 has it). */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The components of documented bodies. own-schemas.json has the bodies that no document shows. */
const COMPONENTS = { ...SHAPES, ErrorWithoutCode: z.omit(SHAPES.Error, { errorId: true }) }

export type SchemaName = keyof typeof COMPONENTS | keyof typeof ownSchemas

/** Fields that are not always sent, as `component.field`. */
const SOMETIMES: ReadonlySet<string> = new Set([
  'SupportedFeed.constraint',
  'FeedTypeSearchResponse.next',
  'FileMetadataSearchResponse.next',
  'Subscription.filterId',
])

/** Returns a reference to a component. */
export function schemaRef(name: SchemaName): JsonSchema {
  return { $ref: componentPath(name) }
}

/** Returns every component by its name. */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const [id, shape] of Object.entries(COMPONENTS)) registry.add(shape, { id })
  const { schemas } = z.toJSONSchema(registry, { uri: componentPath })
  const documented = Object.entries(schemas).map(([name, schema]) => [name, asSent(name, schema)])
  return { ...Object.fromEntries(documented), ...ownSchemas }
}

function componentPath(name: string): string {
  return `#/components/schemas/${name}`
}

function asSent(
  name: string,
  { type, properties = {} }: { type?: unknown; properties?: object },
): JsonSchema {
  const required = Object.keys(properties).filter(field => !SOMETIMES.has(`${name}.${field}`))
  return { type, properties, required, additionalProperties: false }
}
