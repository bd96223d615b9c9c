// Makes a report the published one: bench/peers.json, the picture drawn from it, and its sections
// of the documents.

import { readFile, writeFile } from 'node:fs/promises'
import { peersChart } from './peers-chart'
import { PEERS_SECTIONS, withSection } from './peers-section'
import type { BenchReport } from './report'

const PUBLISHED = 'bench/peers.json'

const report = JSON.parse(await readFile(process.argv[2] ?? PUBLISHED, 'utf8')) as BenchReport
await writeFile(PUBLISHED, `${JSON.stringify(report, null, 2)}\n`)
await writeFile('bench/peers.svg', peersChart(report))
for (const section of PEERS_SECTIONS) {
  await writeFile(section.path, withSection(await readFile(section.path, 'utf8'), section, report))
}
