// `npm run fuzz -- [inflate | columns] [count] [seed]`: compares fast code with plain code on so many
// mutated inputs, ten million by default.

import { fuzzColumns } from './columns'
import { fuzzInflate } from './inflate'

const fuzzers = { inflate: fuzzInflate, columns: fuzzColumns }

const words = process.argv.slice(2)
const name = words[0] === 'columns' || words[0] === 'inflate' ? words[0] : undefined
const [count = 10_000_000, seed = 1] = (name === undefined ? words : words.slice(1)).map(Number)
if (!Number.isInteger(count) || !Number.isInteger(seed)) {
  console.error('usage: npm run fuzz -- [inflate | columns] [count] [seed]')
  process.exit(2)
}
await fuzzers[name ?? 'inflate'](count, seed)
