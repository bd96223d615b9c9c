// Writes the reference of options, errors and events in src/reference, which `npm run reference`
// makes of the sources: names and types of the compiler, texts of the comments, bounds of the calls
// that check them. The pages are part of the package and of the site, and Git does not keep them.
// `npm run check` makes them too, because it fails, and says where, for an option without a default, a number without bounds, a default that the code contradicts, an error code
// without `@remedy`, and an event or a channel without a comment.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { problems, sourcesOf } from './reference/sources.mjs'
import { errorsPage } from './reference/errors-page.mjs'
import { eventsPage } from './reference/events-page.mjs'
import { optionsPage } from './reference/options-page.mjs'

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: join(import.meta.dirname, '..') },
    out: { type: 'string', default: 'src/reference' },
  },
})
const folder = join(values.root, values.out)

const sources = sourcesOf(values.root)
const pages = {
  'options.md': optionsPage(sources),
  'errors.md': errorsPage(sources),
  'events.md': eventsPage(sources),
}
if (problems.length > 0) {
  for (const problem of new Set(problems)) console.error(problem)
  process.exit(1)
}
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text)
