// The benchmark of a feed file of the user: the file goes through the stages, and its cells are
// read as the code of a user would read them.

import { defineBench } from '../../bench'
import {
  type Columns,
  FeedError,
  FileSource,
  Gunzip,
  pipeline,
  type Row,
  type RowBatch,
  schemaOf,
  TsvRowParser,
} from '../../index'
import { schemaFile } from '../schema-file'
import type { CellReading } from './bench-command'
import { FEED_FILE_VARIABLE, type FeedFile } from './feed-file'

const file = JSON.parse(process.env[FEED_FILE_VARIABLE]!) as FeedFile
const { path, isGzip, dialect } = file
const schema = file.schema === undefined ? schemaOf(file.feed) : await schemaFile(file.schema)

export default defineBench({
  name: file.name,
  pipeline: () => {
    const bytes = pipeline<Uint8Array>(new FileSource(path))
    // Bad rows and cells are no matter of speed: `feedmill inspect` shows them.
    const parser = new TsvRowParser<Columns>({ schema, dialect, onBadRow() {} })
    return (isGzip ? bytes.to(new Gunzip()) : bytes).to(parser).tap(readerOf(file.read))
  },
})

function readerOf(read: CellReading): (row: Row) => void {
  if (read === 'objects') return row => void row.toStrings()
  if (read === 'typed') return decode
  let header: RowBatch['header'] | undefined
  let names: readonly string[] = []
  return row => {
    if (row.batch.header !== header) {
      header = row.batch.header
      names = header.columns.slice(0, read).map(({ name }) => name)
    }
    for (const name of names) row.text(name)
  }
}

function decode(row: Row): void {
  try {
    row.toObject()
  } catch (error) {
    if (!FeedError.is(error) || error.code !== 'CELL_INVALID') throw error
  }
}
