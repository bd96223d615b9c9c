// Reads from plain sockets in large blocks. A read of Node has at most 64 KiB, and each read passes
// through all layers above the socket.

import type { Agent } from 'node:http'
import type { Socket, TcpSocketConnectOpts } from 'node:net'

/**
 * The size of the first block. A block that a single read filled is followed by one of twice the
 * size. Sizes from 128 KiB to 1 MiB are equally fast.
 */
const LEAST_BLOCK_BYTES = 64 * 1024
const MOST_BLOCK_BYTES = 256 * 1024

/** Memory for reads. Each part of it is used once, because the receiver may keep it. */
export class ReadBlock {
  #block = Buffer.allocUnsafeSlow(LEAST_BLOCK_BYTES)
  #at = 0

  /** The target of the next read: at least a quarter of a block. */
  get room(): Uint8Array {
    return this.#block.subarray(this.#at)
  }

  /** Returns the first `byteCount` bytes of `room`. The caller owns them. */
  take(byteCount: number): Uint8Array {
    const part = this.room.subarray(0, byteCount)
    this.#at += byteCount
    const { length } = this.#block
    if (this.#at > length * 0.75)
      this.#renew(byteCount === length ? Math.min(length * 2, MOST_BLOCK_BYTES) : length)
    return part
  }

  #renew(bytes: number): void {
    this.#block = Buffer.allocUnsafeSlow(bytes)
    this.#at = 0
  }
}

/** Returns the agent, which opens such sockets from now on. @param connect that of node:net */
export function withLargeReads(
  agent: Agent,
  connect: (options: TcpSocketConnectOpts) => Socket,
): Agent {
  agent.createConnection = options => {
    const block = new ReadBlock()
    const callback = (byteCount: number) => socket.push(block.take(byteCount))
    const socket = connect({
      ...(options as TcpSocketConnectOpts),
      onread: { buffer: () => block.room as Buffer, callback },
    })
    return socket
  }
  return agent
}
