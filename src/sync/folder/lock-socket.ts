// Sockets that say whether a process lives: the kernel closes the socket of a process that ends,
// also after SIGKILL, and accepts connections to it while the process is stopped or busy. A Unix
// domain socket is found by its file, in whatever container the file is seen. Windows has named
// pipes instead, which have no files; the name of the file names the pipe.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { rename, symlink, unlink } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { type FeedError, machineFiles, stateIo, systemCode } from '../../engine/index'

const IS_PIPE = process.platform === 'win32'
/** What stands behind the name of a socket until it listens. */
export const NEW = '.new'
/** Number of attempts of a socket whose new file another process removes. */
const ATTEMPTS = 10

/** Number of bytes in an address that every system takes. Node cuts a longer one without a word. */
const ADDRESS_BYTES = 103
/** The codes of a file system without sockets, such as FAT. */
const SOCKETLESS = ['EPERM', 'EINVAL', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP']
/** The codes of a socket that nobody listens to. */
const REFUSED = ['ECONNREFUSED', 'ENOENT']
/**
 * The codes of a process that has not taken the connections before this one, and of one that stops
 * to listen meanwhile.
 */
const LISTENED = ['EAGAIN', 'EBUSY', 'ETIMEDOUT', 'ECONNRESET']

/**
 * Makes a socket that listens while this thread lives, but does not keep it alive. The socket is
 * made under another name, which anybody may remove, and has its own name only once it listens.
 * @param path of a file that does not exist
 * @throws FeedError STATE_IO; the system's errors
 */
export async function listen(path: string): Promise<Server> {
  for (let attempt = 1; ; attempt++) {
    const server = createServer(socket => socket.destroy())
    try {
      const made = IS_PIPE ? path : path + NEW
      await atAddress(made, async address => {
        // Without `exclusive` a worker of a cluster would have its primary process listen.
        server.listen({ path: address, exclusive: true, readableAll: true, writableAll: true })
        await once(server, 'listening')
      })
      // A connection that cannot be accepted has reached a process that lives.
      server.on('error', () => {}).unref()
      if (!IS_PIPE) await rename(made, path)
      if (await answers(path)) return server
      throw socketless(path)
    } catch (error) {
      server.close()
      for (const left of [path + NEW, path]) await machineFiles.remove(left)
      const code = systemCode(error) ?? ''
      if (SOCKETLESS.includes(code)) throw socketless(path, error)
      if (code !== 'ENOENT' || attempt === ATTEMPTS) throw error
    }
  }
}

/**
 * Returns whether a process listens to the socket. False is no proof where this process has another
 * kernel, or sees the file through another mount.
 */
export function answers(path: string): Promise<boolean> {
  return atAddress(path, async address => {
    const socket = connect(address)
    try {
      await once(socket, 'connect')
      return true
    } catch (error) {
      const code = systemCode(error) ?? ''
      if (!REFUSED.includes(code) && !LISTENED.includes(code)) throw error
      return LISTENED.includes(code)
    } finally {
      socket.destroy()
    }
  })
}

function socketless(path: string, cause?: unknown): FeedError<'STATE_IO'> {
  return stateIo(dirname(path), 'lock', 'no Unix domain sockets', cause)
}

/**
 * Calls `use` with the address of a socket. Where it would be too long, a symbolic link to the
 * folder of the socket shortens it.
 */
async function atAddress<T>(path: string, use: (address: string) => Promise<T>): Promise<T> {
  if (IS_PIPE) return use(`\\\\.\\pipe\\feedmill-${basename(path)}`)
  if (Buffer.byteLength(path) <= ADDRESS_BYTES) return use(path)
  const link = join(tmpdir(), `feedmill-${randomBytes(4).toString('hex')}`)
  const address = join(link, basename(path))
  if (Buffer.byteLength(address) > ADDRESS_BYTES) throw stateIo(path, 'lock', 'ENAMETOOLONG')
  await symlink(dirname(path), link)
  try {
    return await use(address)
  } finally {
    await unlink(link)
  }
}
