// A process that asks for the lock of a folder. The tests of the lock kill and stop it.

import cluster from 'node:cluster'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { FeedError } from '../../../src/engine/errors'
import { takeFolderLock } from '../../../src/sync/folder/folder-lock'

/**
 * `hold`: asks once, says `held` and stays, or says the error. `thread`, `cluster`: the same
 * in a thread or a worker of a cluster. `exit`: the same, and then exits without a release.
 * `compete`: holds the lock five times for a moment, each time with a file of its own that exists
 * once only, and says `two holders` where another process has it too.
 */
export type AskerTask = 'hold' | 'thread' | 'cluster' | 'exit' | 'compete'

const [task, folder] = process.argv.slice(2) as [AskerTask, string]
const say = (text: string) => process.stdout.write(`${text}\n`)

if (task === 'compete') await compete()
else if (task === 'cluster' && cluster.isPrimary) {
  const worker = cluster.fork()
  worker.on('exit', () => say('the worker has ended'))
} else if (task === 'thread') {
  const worker = new Worker(new URL(import.meta.url), { argv: ['hold', folder] })
  process.stdin.once('data', () => worker.terminate().then(() => say('the thread has ended')))
} else await hold()

async function hold(): Promise<void> {
  try {
    await takeFolderLock(folder)
  } catch (error) {
    say(FeedError.is(error) ? error.message : String(error))
    return
  }
  say(task === 'cluster' ? `held by ${process.pid}` : 'held')
  if (task === 'exit') process.exit()
  setInterval(() => {}, 1_000)
}

async function compete(): Promise<void> {
  const single = join(folder, 'single')
  for (let held = 0; held < 5; ) {
    await delay(Math.random() * 10)
    try {
      const lock = await takeFolderLock(folder)
      await (await open(single, 'wx')).close()
      await delay(Math.random() * 5)
      await rm(single)
      await lock.release()
      held++
    } catch (error) {
      if (!FeedError.is(error) || error.code !== 'STATE_LOCKED') {
        say(`two holders, or another failure: ${error}`)
        process.exit(1)
      }
    }
  }
  say('done')
}
