// The simulation of a fleet: a day of the whole service in virtual time, for growing numbers of
// workers. It prints how far the watermarks are behind, and what the bottleneck is.
//
//   npm run bench:fleet
//   npm run bench:fleet -- --workers 1,4,16 --start empty --inputs figures.json --json out.json

import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { aligned } from '../../src/bench/formats/bench-text'
import { wholeNumber } from '../bench-options'
import { fleetInputs } from './fleet-inputs'
import { bottleneckOf, percentile } from './fleet-report'
import { simulateFleet } from './fleet-simulation'
import { fleetCategories } from './fleet-world'

const START_MS = Date.parse('2026-03-10T00:00:00Z')
const text = { type: 'string' } as const
const { values } = parseArgs({
  options: {
    categories: { ...text, default: '400' },
    marketplaces: { ...text, default: '10' },
    largest: { ...text, default: '20000000' },
    workers: { ...text, default: '1,2,4,8,16' },
    hours: { ...text, default: '24' },
    start: { ...text, default: 'steady' },
    inputs: text,
    json: text,
  },
})
if (values.start !== 'steady' && values.start !== 'empty')
  throw new RangeError(`--start must be steady or empty, not ${values.start}`)
const { start } = values
const inputs = await fleetInputs(values.inputs)
const categories = fleetCategories({
  categories: wholeNumber('--categories', values.categories),
  marketplaces: wholeNumber('--marketplaces', values.marketplaces),
  largest: wholeNumber('--largest', values.largest, 1, 1e9),
})
const hours = wholeNumber('--hours', values.hours)
const results = values.workers
  .split(',')
  .map(count => wholeNumber('--workers', count))
  .map(workers => simulateFleet({ categories, inputs, workers, startMs: START_MS, start, hours }))

const items = categories.reduce((sum, category) => sum + category.items, 0)
console.log(`${categories.length} categories, ${items} items, ${hours} h of virtual time, ${start}`)
for (const [name, { value, unit, source }] of Object.entries(inputs))
  console.log(`  ${name}: ${value} ${unit} (${source})`)
const minutes = (ms: number) => `${(ms / 60_000).toFixed(0)} min`
const share = (part: number) => `${(part * 100).toFixed(0)} %`
const HEADINGS = [
  'workers',
  'lag, median',
  'lag, p99',
  'file to visible, median',
  'p99',
  'files',
  'rows',
  'workers busy',
  'database busy',
  'bottleneck',
]
const lines = results.map(result => [
  `${result.workers}`,
  minutes(percentile(result.lagMs, 0.5)),
  minutes(percentile(result.lagMs, 0.99)),
  minutes(percentile(result.delayMs, 0.5)),
  minutes(percentile(result.delayMs, 0.99)),
  `${result.files}`,
  `${result.rows}`,
  share(result.use.workers),
  share(result.use.database),
  bottleneckOf(result),
])
console.log(`\n${aligned([HEADINGS, ...lines], [9]).join('\n')}`)
if (values.json !== undefined) {
  const saved = results.map(({ lagMs, delayMs, ...rest }) => ({
    ...rest,
    lagMs: { median: percentile(lagMs, 0.5), p99: percentile(lagMs, 0.99) },
    delayMs: { median: percentile(delayMs, 0.5), p99: percentile(delayMs, 0.99) },
    bottleneck: bottleneckOf({ ...rest, lagMs, delayMs }),
  }))
  await writeFile(values.json, JSON.stringify({ inputs, results: saved }, null, 2))
}
