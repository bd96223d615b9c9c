// Finds the benchmarks of a file. The file is code of a caller, so only a process that measures
// loads it.

import { realpath } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { excerpt, FeedError, messageOf, show } from '../engine/index'
import { type Bench, defineBench } from './define-bench'

/** @throws FeedError BENCH_FILE_INVALID */
export async function benchesOf(path: string): Promise<readonly Bench[]> {
  const module = await loaded(path)
  // A module of CommonJS repeats its exports in the default export.
  const exported = module.default === undefined ? Object.values(module) : [module.default]
  const benches = exported.flat().flatMap(value => (isList(value) ? Object.values(value) : [value]))
  if (benches.length === 0) throw invalid(path, 'it exports no benchmark')
  const checked = benches.map(bench => checkedBench(path, bench))
  const names = checked.map(({ name }) => name)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined)
    throw invalid(path, `two benchmarks have the name ${excerpt(repeated)}`)
  return checked
}

/** @throws FeedError BENCH_FILE_INVALID */
export async function benchOf(path: string, name: string): Promise<Bench> {
  const bench = (await benchesOf(path)).find(candidate => candidate.name === name)
  if (bench === undefined) throw invalid(path, `it has no benchmark with the name ${excerpt(name)}`)
  return bench
}

async function loaded(path: string): Promise<Record<string, unknown>> {
  try {
    return await import(pathToFileURL(await realpath(path)).href)
  } catch (cause) {
    throw invalid(path, `it cannot be loaded: ${messageOf(cause)}`, cause)
  }
}

/** True for an object that holds benchmarks by name, as the default export of CommonJS does. */
function isList(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every(member => typeof member === 'object')
  )
}

function checkedBench(path: string, value: unknown): Bench {
  try {
    return defineBench(value as Bench)
  } catch (cause) {
    const name = (value as Partial<Bench> | null | undefined)?.name
    const which = typeof name === 'string' ? `the benchmark ${show(name)}` : 'an export'
    throw invalid(path, `${which} is wrong: ${messageOf(cause)}`, cause)
  }
}

function invalid(path: string, reason: string, cause?: unknown): FeedError<'BENCH_FILE_INVALID'> {
  const message = `${path} is no file of benchmarks: ${reason}; it exports what defineBench returns`
  return new FeedError('BENCH_FILE_INVALID', message, { path, reason }, { cause })
}
