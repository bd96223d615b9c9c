// The turns of batches that are merged at the same time: the rows of a batch are looked up while
// the batches ahead are still being merged, and are merged behind them.

/** The turn of one batch. It refers to no other turn, so that an ended one frees its memory. */
export interface Turn {
  /** The registers that the batch writes, by their keys; none where it has failed. */
  readonly latest: Map<string, Uint8Array>
  /** Resolves when the registers are written, or when the batch has failed. */
  readonly ended: Promise<void>
}

/** A turn that has begun. */
export interface BegunTurn extends Pick<Turn, 'latest'> {
  /** The batches that are merged before this one, the oldest first. */
  readonly ahead: readonly Turn[]
  readonly end: () => void
}

export class Turns {
  #turns: readonly Turn[] = []

  /** Begins the turn of a batch behind all others. */
  begin(): BegunTurn {
    let resolve = () => {}
    const ended = new Promise<void>(resolved => {
      resolve = resolved
    })
    const turn: Turn = { latest: new Map(), ended }
    const ahead = this.#turns
    this.#turns = [...ahead, turn]
    const end = () => {
      this.#turns = this.#turns.filter(other => other !== turn)
      resolve()
    }
    return { latest: turn.latest, ahead, end }
  }
}
