// Makes reports the published ones: bench/peers.json, the picture drawn from the first of them, and
// their sections of the documents.

import { readFile, writeFile } from 'node:fs/promises'
import { peersChart } from './peers-chart'
import { PEERS_SECTIONS, type Reports, withSection } from './peers-section'
import type { BenchReport } from './report'

const PUBLISHED = 'bench/peers.json'

const paths = process.argv.slice(2)
const read = async (path: string) => JSON.parse(await readFile(path, 'utf8'))
const reports: Reports =
  paths.length === 0
    ? await read(PUBLISHED)
    : ((await Promise.all(paths.map(read))) as [BenchReport, ...BenchReport[]])
await writeFile(PUBLISHED, `[\n${reports.map(report => JSON.stringify(report)).join(',\n')}\n]\n`)
await writeFile('bench/peers.svg', peersChart(reports[0]))
for (const section of PEERS_SECTIONS) {
  await writeFile(section.path, withSection(await readFile(section.path, 'utf8'), section, reports))
}
