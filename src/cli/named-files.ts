// The files that a call names, before any of them is opened: none may be read and written, or
// written twice. A command may be done with a file before it writes another, so that no run of a
// pipeline has both.

import { pipeline } from '../index'
import type { Command } from './command-options'

/** The options whose value is the path of a file. */
const FILE = /[<[](?:file|report|path)[>\]]$/
/** Those of them that the command writes. */
const WRITTEN = /^--(?:out|html|save|append|changes|json|quarantine|write-schema) /
/** A name of this option is that of a file of another command, in a folder of its own. */
const OF_ANOTHER = '--output'
/** The commands whose arguments are files that they read. */
const READING = /^(?:inspect|replay|bench|convert|diff)$/

/** @throws FeedError OPTION_INVALID with both names */
export async function refuseSharedFiles(command: Command): Promise<void> {
  const reads: (string | object)[] = READING.test(command.name()) ? [...command.args] : []
  const writes: string[] = []
  for (const option of command.options) {
    const path: unknown = command.getOptionValue(option.attributeName())
    if (!FILE.test(option.flags) || option.long === OF_ANOTHER || typeof path !== 'string') continue
    if (path !== '-') (WRITTEN.test(option.flags) ? writes : reads).push(path)
  }
  const out = command.name() === 'convert' ? reads.pop() : undefined
  if (typeof out === 'string' && out !== '-') writes.push(out)
  if (reads[0] === '-') reads[0] = process.stdin
  // A run without rows compares the files, as every run does before it opens one.
  const nothing = Object.assign([], { reads })
  await pipeline<never>(nothing).run({ name: 'files', writes, write() {}, commit() {}, abort() {} })
}
