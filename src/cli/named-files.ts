// The files that a call names, before any of them is opened: none may be read and written, or
// written twice. A command may be done with a file before it writes another, so that no run of a
// pipeline has both.

import { pipeline } from '../index'
import type { Command } from './command-options'

/** The options whose value is the path of a file. */
const FILE = /[<[](?:file|report|path)[>\]]$/
/** Those of them that the command writes. */
const WRITTEN: readonly string[] = ['out', 'html', 'save', 'changes', 'json']
/** The command that `verify` runs writes a file of this name in a folder of its own. */
const OF_ANOTHER = 'output'
/** The commands whose arguments are files that they read. */
const READING: readonly string[] = ['inspect', 'replay', 'bench']
const STANDARD_STREAM = '-'

/** @throws FeedError OPTION_INVALID with both names */
export async function refuseSharedFiles(command: Command): Promise<void> {
  const values = command.opts()
  const named = command.options
    .filter(({ flags }) => FILE.test(flags))
    .map(option => option.attributeName())
    .filter(name => name !== OF_ANOTHER && typeof values[name] === 'string')
  const pathsOf = (names: readonly string[]) =>
    names.map(name => values[name] as string).filter(path => path !== STANDARD_STREAM)
  const given = READING.includes(command.name()) ? (command.args as readonly string[]) : []
  const reads = [
    ...pathsOf(named.filter(name => !WRITTEN.includes(name))),
    ...given.map(path => (path === STANDARD_STREAM ? process.stdin : path)),
  ]
  const writes = pathsOf(named.filter(name => WRITTEN.includes(name)))
  // A run without rows compares the files, as every run does before it opens one.
  const nothing = Object.assign([], { reads })
  await pipeline<never>(nothing).run({ name: 'files', writes, write() {}, commit() {}, abort() {} })
}
