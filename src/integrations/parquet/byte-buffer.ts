// A buffer of bytes that grows. What is in it is copied out before it is used again.

/** Bytes that may be written behind the end, so that copies go in whole words. */
const SLACK = 16

export class ByteBuffer {
  bytes = new Uint8Array(64)
  view = new DataView(this.bytes.buffer)
  length = 0

  /** Makes room for so many bytes behind {@link length}, and some more. */
  reserve(count: number): void {
    const needed = this.length + count + SLACK
    if (needed <= this.bytes.length) return
    const larger = new Uint8Array(Math.max(needed, 2 * this.bytes.length))
    larger.set(this.bytes.subarray(0, this.length))
    this.bytes = larger
    this.view = new DataView(larger.buffer)
  }

  add(bytes: Uint8Array): void {
    this.reserve(bytes.length)
    this.bytes.set(bytes, this.length)
    this.length += bytes.length
  }

  /** Adds bytes behind their number in four bytes. */
  addText(bytes: Uint8Array): true {
    this.reserve(4)
    this.view.setInt32(this.length, bytes.length, true)
    this.length += 4
    this.add(bytes)
    return true
  }

  /** The bytes so far, until more are added. */
  written(): Uint8Array {
    return this.bytes.subarray(0, this.length)
  }
}
