// One road over a feed of one's own, in a process of its own, which says how much memory it took.
//
//   node heavy-process.mjs sync|changes|read STATE FILE…

import { defineSchema, text } from 'feedmill'
import { openState, sync } from 'feedmill/sync'

const [road, folder, ...paths] = process.argv.slice(2)
const columns = { sku: text({ notNull: true }), title: text() }
const source = {
  name: 'heavy',
  schema: defineSchema({ name: 'heavy', columns }),
  key: 'sku',
  files: paths.map((from, n) => ({
    id: `file-${n}`,
    from,
    kind: n === 0 ? 'full' : 'changes',
    time: new Date(n * 1000),
  })),
}

let rows = 0
if (road === 'read') {
  const state = await openState(folder)
  for await (const block of state.feed(source).rows()) rows += block.length
  await state.close()
} else {
  const changes = road === 'changes' ? 'files' : 'none'
  const logged = changes === 'files' && { changeRows: 'both' }
  rows = (await sync({ source, folder, changes, ...logged }).summary).rows
}
// maxRSS is in KiB.
console.log(JSON.stringify({ rows, peakMb: (process.resourceUsage().maxRSS * 1024) / 1e6 }))
