// Writes the file that `npm run inspect:proof` inspects, 400 MB before compression, and prints its
// path.

import { itemsFor, prepareFeed } from './data'

const SEED = 7
const MEGABYTES = 400

const { path } = await prepareFeed(SEED, itemsFor(MEGABYTES), '.tmp/bench-data')
console.log(path)
