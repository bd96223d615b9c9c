// Servers of a test's own, on ports of their own, which the test kills and starts again.

import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { Client } from 'pg'

const run = promisify(execFile)

export interface OwnServer {
  readonly url: string
  /** Kills the server at once, and starts it again on its data. */
  restart(): Promise<void>
  /** Stops the server, which then keeps its connections and does not answer. */
  freeze(): void
  /** Continues a server that is frozen. */
  thaw(): void
  /** Kills the server, and removes its data. */
  close(): Promise<void>
}

/** @param policy what the server does without memory */
export async function ownRedis(policy = 'noeviction'): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-redis-'))
  const port = await freePort()
  const url = `redis://127.0.0.1:${port}`
  const durable = [
    '--appendonly',
    'yes',
    '--appendfsync',
    'always',
    '--save',
    '',
    '--maxmemory-policy',
    policy,
  ]
  const words = ['--port', `${port}`, '--dir', folder, ...durable]
  const isReady = async () => {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null })
    redis.on('error', () => {})
    await redis.connect()
    await redis.ping()
    redis.disconnect()
  }
  return runningServer({ url, folder, command: ['redis-server', ...words], isReady })
}

/** @param host the address at which the server listens; the machines of its network may use it */
export async function ownPostgres(host = '127.0.0.1'): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'feedmill-postgres-'))
  const port = await freePort()
  const url = `postgres://postgres@${host}:${port}/postgres`
  const user = await serverUser()
  if (user !== undefined) await chown(folder, user.uid, user.gid)
  const options = { ...user, cwd: folder }
  const data = join(folder, 'data')
  const init = ['--auth', 'trust', '--username', 'postgres', '--no-sync', '--encoding', 'UTF8']
  await run('initdb', [...init, '--pgdata', data], options)
  await appendFile(join(data, 'pg_hba.conf'), 'host all all samenet trust\n')
  // The processes of the server die and not the machine, so nothing has to be on the disk.
  const settings = ['fsync=off', `listen_addresses=${host}`, `unix_socket_directories=${folder}`]
  const words = ['-D', data, '-p', `${port}`, ...settings.flatMap(each => ['-c', each])]
  const isReady = async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.end()
  }
  // SIGQUIT ends every process of the server at once, and SIGKILL only the first of them.
  const killing = 'SIGQUIT'
  return runningServer({ url, folder, command: ['postgres', ...words], options, isReady, killing })
}

/** PostgreSQL refuses to run as root. Its packages make the user `postgres`. */
async function serverUser(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const idOf = async (which: string) => Number((await run('id', [which, 'postgres'])).stdout)
  return { uid: await idOf('-u'), gid: await idOf('-g') }
}

interface ServerProcess {
  readonly url: string
  readonly folder: string
  readonly command: readonly string[]
  readonly options?: SpawnOptions
  readonly killing?: NodeJS.Signals
  /** Rejects while the server does not answer. */
  isReady(): Promise<void>
}

async function runningServer(parts: ServerProcess): Promise<OwnServer> {
  const { url, folder, command, options, killing = 'SIGKILL', isReady } = parts
  const [program = '', ...words] = command
  const start = async () => {
    const server = spawn(program, words, { ...options, stdio: 'ignore' })
    while (!(await answers(isReady))) {
      if (isOver(server)) throw new RangeError(`${program} has ended: ${words.join(' ')}`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
    return server
  }
  const kill = async () => {
    if (isOver(server)) return
    const closed = once(server, 'close')
    server.kill(killing)
    await closed
  }
  let server = await start()
  return {
    url,
    restart: async () => {
      await kill()
      server = await start()
    },
    freeze: () => void server.kill('SIGSTOP'),
    thaw: () => void server.kill('SIGCONT'),
    close: async () => {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function isOver({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

function answers(isReady: () => Promise<void>): Promise<boolean> {
  return isReady().then(
    () => true,
    () => false,
  )
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' ? (address?.port ?? 0) : 0
}
