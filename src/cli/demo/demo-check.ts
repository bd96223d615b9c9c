// Compares what was ingested with what the emulated world knows to be true, row by row in the order
// of item identifiers.

import type { TruthRow, World } from '../../emulator'
import type { Row } from '../../index'

/** Holds one row of the truth at a time, and keeps the first few differences. */
export class TruthCheck {
  /** A sentence for each difference. */
  readonly problems: string[] = []
  /** The number of rows compared. */
  rows = 0
  /** The time of the comparison, which includes making the truth. */
  seconds = 0
  readonly #truth: Iterator<TruthRow>
  readonly #columns: readonly string[]

  constructor(world: World, at: Date) {
    this.#truth = world.truthAt(at)
    this.#columns = world.itemColumns
  }

  /** Takes the next row. Rows come in the order of their keys. */
  row(itemId: string, row: Pick<Row, 'text'>): void {
    const startedAt = performance.now()
    this.#compare(itemId, row)
    this.seconds += (performance.now() - startedAt) / 1000
  }

  #compare(itemId: string, row: Pick<Row, 'text'>): void {
    this.rows++
    const expected = this.#truth.next()
    if (expected.done) this.#note(itemId, 'is not in the world')
    else if (expected.value.itemId !== itemId)
      this.#note(itemId, `stands where ${expected.value.itemId} should`)
    else
      this.#columns.forEach(
        (column, n) =>
          row.text(column) === expected.value.cells[n] || this.#note(itemId, `${column} differs`),
      )
  }

  /** Call it after the last row. */
  end(): void {
    const missing = this.#truth.next()
    if (!missing.done) this.#note(missing.value.itemId, 'is missing')
  }

  #note(itemId: string, what: string): void {
    if (this.problems.length < 10) this.problems.push(`${itemId} ${what}`)
  }
}

/**
 * Knows the groups that the world had when the bootstrap file was made. Each item must have been
 * joined with its group of that time.
 */
export class GroupCheck {
  #wrong = 0
  readonly #groupIds = new Set<string>()

  constructor(world: World, at: Date) {
    for (const { itemGroupId } of world.groupsAt(at)) this.#groupIds.add(itemGroupId)
  }

  /** @param groupsRead how many groups were ingested */
  problems(groupsRead: number): string[] {
    const problems: string[] = []
    if (this.#wrong > 0)
      problems.push(`${this.#wrong} items are joined with the wrong group, or not at all`)
    if (groupsRead !== this.#groupIds.size)
      problems.push(`${groupsRead} groups in place of ${this.#groupIds.size}`)
    return problems
  }

  /** Takes the row of an item, and the group that the join gave to it. */
  row(row: Pick<Row, 'text'>, group: Pick<Row, 'text'> | null): void {
    const groupId = row.text('primaryItemGroupId')
    const expected = this.#groupIds.has(groupId) ? groupId : undefined
    if (group?.text('itemGroupId') !== expected) this.#wrong++
  }
}
