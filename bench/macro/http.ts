// The same as rows-5, over HTTP ranges from a server on this machine, in a process of its own: four
// ranges in flight, as by default.

import {
  ChunkReassembler,
  Gunzip,
  itemSchema,
  NodeTransport,
  pipeline,
  RangeFetcher,
  TsvRowParser,
} from '../../src/index'
import { FIVE_COLUMNS, fiveCellsCase } from './five-cells'

export const http = fiveCellsCase({
  name: 'http',
  title: 'the same as rows-5, over HTTP ranges from a loopback server',
  open(url) {
    const transport = new NodeTransport()
    const rows = pipeline(new RangeFetcher({ url, transport }))
      .to(new ChunkReassembler())
      .to(new Gunzip())
      .to(new TsvRowParser({ schema: itemSchema, columns: FIVE_COLUMNS }))
    return { rows, close: () => transport.close() }
  },
})
