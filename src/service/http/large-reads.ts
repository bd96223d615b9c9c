// Reading from plain sockets in large blocks. Node's own reads have at most 64 KiB, and each costs
// a turn through all the layers above it.

import type { Agent } from 'node:http'
import type { Socket, TcpSocketConnectOpts } from 'node:net'

/**
 * Of the first block; one of twice the size follows a block that a single read filled. Of 128 KiB
 * to 1 MiB no size is clearly faster.
 */
const LEAST_BLOCK_BYTES = 64 * 1024
const MOST_BLOCK_BYTES = 256 * 1024

/** Memory that is read into: each part of it once, since who received it may keep it. */
export class ReadBlock {
  #block = Buffer.allocUnsafeSlow(LEAST_BLOCK_BYTES)
  #at = 0

  /** Where the next read goes: a quarter of a block or more. */
  get room(): Uint8Array {
    return this.#block.subarray(this.#at)
  }

  /** The first `byteCount` bytes of `room`, which are the caller's from here on. */
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

/** The agent, from now on with such sockets. @param connect node:net's */
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
