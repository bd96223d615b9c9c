// Three writers in a process whose machine loses its network. Each has the lock of the category that
// has its name: one waits between two files, one is in the middle of a COPY, and one waits for a
// statement. The one argument is the address of the database.

import { postgresTarget } from '../../src/integrations/postgres'
import { CATEGORY, hourOf, ORIGIN, smallFile } from '../integrations/postgres/small-file'

const target = postgresTarget(process.argv[2] ?? '')
const forEver = new Promise<void>(() => setInterval(() => {}, 60_000))

async function write(categoryId: string): Promise<void> {
  const { signal } = new AbortController()
  const opened = await target.open({ origin: ORIGIN, memoryBytes: 2 ** 26, signal })
  const category = await opened.category({ ...CATEGORY, categoryId })
  if (categoryId === 'idle') return forEver
  const id = { ...hourOf(1), categoryId }
  const between = categoryId === 'copy' ? () => forEver : undefined
  await category.apply(smallFile(id, 'itemId\ttitle\nv1|1|0\tone\n', between))
}

await Promise.all(['idle', 'copy', 'statement'].map(write))
