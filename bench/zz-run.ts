import { readFileSync } from 'node:fs'
import { synchronise, followThroughPause } from './scale/feedmill-sync'
import { END, NEXT_END } from './scale/scale-service'
const [, , address, folder, kind] = process.argv
const a = JSON.parse(readFileSync(address!, 'utf8'))
const t = performance.now()
let peak = 0
if (process.env.TRACE) setInterval(() => { const m = process.memoryUsage(); if (m.rss > peak + 5e6) { peak = m.rss; console.log(((performance.now() - t) / 1000).toFixed(1), Object.entries(m).map(([k, v]) => `${k} ${(v / 1e6).toFixed(0)}`).join(' ')) } }, 100).unref()
if (kind === 'pause') await followThroughPause(a, folder!)
else await synchronise(a, folder!, kind === 'make' ? END : NEXT_END)
const c = process.cpuUsage()
console.log(kind, ((performance.now() - t) / 1000).toFixed(2), 's wall', ((c.user + c.system) / 1e6).toFixed(2), 's cpu', (process.resourceUsage().maxRSS / 1024).toFixed(0), 'MiB')
