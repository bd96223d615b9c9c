// `feedmill verify` over the alternatives, fault by fault, and over this package: the table of
// src/guide/proof.md. What is not installed is left out, and said.
//
//   npm run bench:proof                        keeps what it finds in results.json, and writes the page
//   npm run bench:proof -- --only curl         the titles with this text, printed and not kept
//   npm run bench:proof -- --publish           writes the page from results.json

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { VERIFY_FAULTS } from '../../src/cli/verify/fault-rounds'
import { withSection } from '../peers-section'
import { ALTERNATIVES, type Alternative, TOOLS, type VersionCommand } from './alternatives'
import { PROOF_SECTION, type Proof, type RoundEnd, type Verdict, verdictOf } from './proof-text'

const run = promisify(execFile)
const RESULTS = 'bench/proof/results.json'
/** No script reads the catalog, and stock clients need ranges of RFC 9110, which `echo` does not have. */
const FAULTS = VERIFY_FAULTS.map(({ name }) => name).filter(
  name => name !== 'catalog-size' && name !== 'range-echo',
)
const SEED = 7
/** What becomes of these faults depends on their place in the file, so they meet more worlds. */
const PLACED = ['short', 'replaced', 'bit-flip']
const MORE_SEEDS = [8, 9, 10, 11, 12]
/**
 * One file of seven meets the faults. The trade item number has two headings, which no alternative
 * could know, so it is not compared. A scheduler starts a command that fails up to five times.
 */
const VERIFY = (
  'verify --header-form rfc9110 --route /buy/feed/v1_beta/item --ignore gtin ' +
  '--attempts 5 --timeout 120'
).split(' ')

const { values } = parseArgs({
  options: { only: { type: 'string' }, publish: { type: 'boolean', default: false } },
})
const folder = await mkdtemp(join(tmpdir(), 'feedmill-proof-'))
try {
  if (values.publish) await publish(JSON.parse(await readFile(RESULTS, 'utf8')))
  else await prove(ALTERNATIVES.filter(({ title }) => title.includes(values.only ?? '')))
} finally {
  await rm(folder, { recursive: true })
}

async function prove(wanted: readonly Alternative[]): Promise<void> {
  const versions = new Map<string, string>()
  for (const name of new Set(wanted.flatMap(({ needs }) => needs))) {
    const version = await versionOf(TOOLS[name])
    if (version !== undefined) versions.set(name, version)
  }
  const lacking = ({ needs }: Alternative) => needs.filter(name => !versions.has(name))
  const left = wanted
    .filter(each => lacking(each).length > 0)
    .map(each => `${each.title}, because ${lacking(each).join(' and ')} is not installed`)
  const installed = wanted.filter(each => lacking(each).length === 0)
  const proven: Proof['proven'][number][] = []
  const queue = installed.entries()
  // Most of the time a script waits before it tries again.
  const lane = async () => {
    for (const [n, { title, command }] of queue) {
      proven[n] = { title, verdicts: await verdictsOf(title, command) }
      console.log(`${new Date().toISOString()} ${title}`)
    }
  }
  await Promise.all([lane(), lane()])
  const named = [...versions].map(([name, version]) => `${name} ${version}`)
  const faults = [...FAULTS, 'together']
  const proof = { date: new Date().toISOString(), versions: named, left, faults, proven }
  console.log(PROOF_SECTION.textOf(proof))
  if (values.only !== undefined) return
  await writeFile(RESULTS, `${JSON.stringify(proof)}\n`)
  await publish(proof)
}

async function publish(proof: Proof): Promise<void> {
  const { path } = PROOF_SECTION
  await writeFile(path, withSection(await readFile(path, 'utf8'), PROOF_SECTION, proof))
}

async function versionOf([program, ...words]: VersionCommand): Promise<string | undefined> {
  const printed = await run(program, words).catch(() => undefined)
  return /\d+(\.\w+)+(-\S+)?/.exec(printed?.stdout ?? '')?.[0]
}

/** @throws Error where a baseline is wrong: the script itself has a defect then */
async function verdictsOf(
  title: string,
  command: readonly string[],
): Promise<Record<string, Verdict[]>> {
  const [baseline, ...rounds] = await roundsOf(command, SEED, FAULTS)
  if (baseline?.ok !== true) throw new Error(`${title} is wrong without any fault`)
  const verdicts = Object.fromEntries(rounds.map(end => [end.name, [verdictOf(end)]]))
  for (const seed of MORE_SEEDS)
    for (const end of await roundsOf(command, seed, PLACED))
      if (PLACED.includes(end.name)) verdicts[end.name]!.push(verdictOf(end))
  return verdicts
}

/** `verify` exits with 1 where a round is not right; its report is there all the same. */
async function roundsOf(
  command: readonly string[],
  seed: number,
  faults: readonly string[],
): Promise<RoundEnd[]> {
  const json = join(await mkdtemp(join(folder, 'run-')), 'report.json')
  const chosen = ['--seed', `${seed}`, ...faults.flatMap(name => ['--fault', name])]
  const words = ['dist/cli.js', ...VERIFY, ...chosen, '--json', json, '--', ...command]
  await run(process.execPath, words).catch(() => undefined)
  return JSON.parse(await readFile(json, 'utf8')).rounds
}
