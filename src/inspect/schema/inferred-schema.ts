// Makes the schema of a file of what was found in its columns. Its columns have the headings as
// their names. It asks for nothing that the file may lack tomorrow: no column is `required` or
// `notNull`, because a column that is full today may have an empty cell in the next file.

import type { BoundColumn, ColumnSpec, Dialect } from '../../engine/index'
import { defineSchema, FEED_SCHEMAS, spellingOf } from '../../engine/index'
import type { InferredSchema } from '../report'
import type { KindFinder } from './kind-finder'

const EXTENSIONS = /(?:\.(?:tsv|csv|txt|tab|psv|dat|ndjson|jsonl|gz|zip|zst|zstd|br|bz2|xz))+$/i

/**
 * @param source the path, the address or the name of the source
 * @param kinds the columns of the file, and a finder for each of them
 */
export function inferredSchema(
  source: string,
  dialect: Dialect,
  kinds: { readonly columns: readonly BoundColumn[]; readonly finders: readonly KindFinder[] },
): InferredSchema {
  const spellings = new Set<string>([''])
  const specs: [name: string, spec: ColumnSpec][] = []
  const found = kinds.columns.map(({ heading }, at) => {
    // A schema has one column of a spelling, which is the first of the file. The others stay
    // readable as text, and so do columns without a heading.
    const spelling = spellingOf(heading)
    const inSchema = !spellings.has(spelling)
    spellings.add(spelling)
    const finder = kinds.finders[at]!
    if (inSchema) specs.push([heading, finder.spec])
    return finder.report(heading, inSchema)
  })
  const schema = defineSchema({ name: schemaName(source), columns: Object.fromEntries(specs) })
  return { schema, dialect, columns: found }
}

/** The name of the file without its folder and its endings, in words. */
function schemaName(source: string): string {
  const [path = ''] = /^https?:/i.test(source) ? source.split(/[?#]/) : [source]
  const [file = ''] = path.split(/[/\\]/).slice(-1)
  const words = file
    .replace(EXTENSIONS, '')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
  if (words === '') return 'feed'
  // The names of the four feeds have a meaning, which a file of this name need not have.
  return Object.hasOwn(FEED_SCHEMAS, words) ? `${words}_file` : words
}
