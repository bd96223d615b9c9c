// A buffer of bytes that grows, and arrays that do. What is in a buffer is copied out before it is used
// again.

/** Bytes that may be written behind the end, so that copies go in whole words. */
const SLACK = 16

export class ByteBuffer {
  bytes = new Uint8Array(64)
  view = new DataView(this.bytes.buffer)
  length = 0

  /** Makes room for so many bytes behind {@link length}, and some more. */
  reserve(count: number): void {
    const { bytes } = this
    this.bytes = withRoom(bytes, this.length + count + SLACK)
    if (this.bytes !== bytes) this.view = new DataView(this.bytes.buffer)
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

/** Returns the array, or a copy of it that has room for so many elements. */
export function withRoom<A extends Uint8Array | Int32Array>(array: A, count: number): A {
  if (count <= array.length) return array
  const larger = new (array.constructor as Uint8ArrayConstructor)(Math.max(2 * array.length, count))
  larger.set(array)
  return larger as A
}
