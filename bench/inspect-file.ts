// Writes the file of `npm run inspect:proof` and prints its path.

import { inspectFeed } from './inspect-feed'

console.log((await inspectFeed()).path)
