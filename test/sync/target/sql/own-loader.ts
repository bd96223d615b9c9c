// A process that brings the files of a small feed into a database. It writes a line for each row that it
// reads and for each event, by which its parent chooses the moment to kill it.

import { writeSync } from 'node:fs'
import { FeedError } from '../../../../src/index'
import { duckdbTarget } from '../../../../src/integrations/duckdb'
import { postgresTarget } from '../../../../src/integrations/postgres'
import { type SourceFile, sync } from '../../../../src/sync'
import type { Stock } from '../../source/small-feed'

/** What the process is to do, as JSON in its one argument. */
export interface LoaderOrder {
  readonly kind: 'duckdb' | 'postgres'
  readonly address: string
  /** With a list of files, whose times are texts in JSON. It has no functions there. */
  readonly source: Stock & { readonly files: readonly SourceFile[] }
}

const say = (line: string) => writeSync(1, `${line}\n`)
const { kind, address, source } = JSON.parse(process.argv[2]!) as LoaderOrder
const run = sync({
  source: {
    ...source,
    files: source.files.map(file => ({ ...file, time: new Date(file.time) })),
    isRemoved: row => {
      say('row')
      return row.get('gone') === true
    },
  },
  target: kind === 'duckdb' ? duckdbTarget(address) : postgresTarget(address),
  parallelFiles: 3,
  maxRemovedShare: 1,
  maxBadShare: 1,
})
try {
  for await (const { type } of run) if (type !== 'progress') say(type)
  await run.summary
  say('closed')
} catch (error) {
  say(FeedError.is(error) ? error.code : String(error))
}
