// The stage Gunzip behind FileSource, as a reader of bytes uses it: each output is the reader's own.

import { inflated } from './item-batches'
import { bytesCase } from './macro-case'

export const gunzip = bytesCase({
  name: 'gunzip',
  contender: 'feedmill',
  title: 'the stage Gunzip behind FileSource, outputs for the reader to keep, dropped',
  ours: true,
  async run(path, use) {
    for await (const block of inflated(path)) use(block)
  },
})
