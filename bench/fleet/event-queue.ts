// A binary heap of events in virtual time. Events of one time come in the order of their entry.

interface Event {
  readonly atMs: number
  readonly number: number
  readonly happen: () => void
}

export class EventQueue {
  readonly #heap: Event[] = []
  #number = 0
  #nowMs: number

  constructor(nowMs: number) {
    this.#nowMs = nowMs
  }

  get nowMs(): number {
    return this.#nowMs
  }

  at(atMs: number, happen: () => void): void {
    const heap = this.#heap
    heap.push({ atMs: Math.max(atMs, this.#nowMs), number: this.#number++, happen })
    for (let child = heap.length - 1; child > 0; ) {
      const parent = (child - 1) >> 1
      if (isBefore(heap[parent]!, heap[child]!)) break
      ;[heap[parent], heap[child]] = [heap[child]!, heap[parent]!]
      child = parent
    }
  }

  /** Lets all events up to a time happen. */
  runUntil(endMs: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.atMs <= endMs; next = this.#heap[0]) {
      this.#nowMs = next.atMs
      this.#removeFirst()
      next.happen()
    }
    this.#nowMs = endMs
  }

  #removeFirst(): void {
    const heap = this.#heap
    const last = heap.pop()!
    if (heap.length === 0) return
    heap[0] = last
    for (let parent = 0; ; ) {
      const left = 2 * parent + 1
      const right = left + 1
      let least = parent
      if (left < heap.length && isBefore(heap[left]!, heap[least]!)) least = left
      if (right < heap.length && isBefore(heap[right]!, heap[least]!)) least = right
      if (least === parent) return
      ;[heap[parent], heap[least]] = [heap[least]!, heap[parent]!]
      parent = least
    }
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.number < other.number)
}
