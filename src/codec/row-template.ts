// Plain objects of one shape: V8 gives every copy of a template the template's hidden class, so that
// filling one in is a run of stores instead of a chain of shape changes.

import { cellDecoders } from './decode/cell-decoders'
import type { BoundHeader } from './tsv/header'

export interface RowTemplate {
  /** The file's columns in order. */
  readonly names: readonly string[]
  strings(): Record<string, string>
  typed(): Record<string, unknown>
}

const templates = new WeakMap<BoundHeader, RowTemplate>()

export function rowTemplate(header: BoundHeader): RowTemplate {
  let template = templates.get(header)
  if (template === undefined) templates.set(header, (template = newTemplate(header)))
  return template
}

function newTemplate(header: BoundHeader): RowTemplate {
  const names = header.columns.map(column => column.name)
  const strings = plainObject<string>(names.map(name => [name, '']))
  const typed = plainObject<unknown>([
    ...header.columns.map((column): [string, unknown] => [column.name, cellDecoders[column.type].empty]),
    ...[...header.absent].map(([name, type]): [string, unknown] => [name, cellDecoders[type].empty]),
  ])
  return { names, strings: () => ({ ...strings }), typed: () => ({ ...typed }) }
}

// fromEntries defines own properties, so a column called __proto__ is data like any other.
function plainObject<T>(entries: readonly [string, T][]): Record<string, T> {
  return Object.fromEntries(entries) as Record<string, T>
}
