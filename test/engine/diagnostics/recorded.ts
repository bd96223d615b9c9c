// Records the messages of all diagnostics channels in their order.

import {
  type DiagnosticsMessages,
  type DiagnosticsName,
  type Listeners,
  listen,
} from '../../../src/engine/diagnostics/channels'

const NAMES: Readonly<Record<DiagnosticsName, true>> = {
  'feedmill:request': true,
  'feedmill:retry': true,
  'feedmill:token': true,
  'feedmill:worker': true,
  'feedmill:batch': true,
  'feedmill:file': true,
  'feedmill:watermark': true,
  'feedmill:job': true,
  'feedmill:queue': true,
  'feedmill:run:start': true,
  'feedmill:run': true,
}

export const CHANNELS = Object.keys(NAMES) as readonly DiagnosticsName[]

export class Recorded implements Disposable {
  /** Each message with the name of its channel. */
  readonly all: { readonly name: DiagnosticsName; readonly message: object }[] = []
  readonly stop: () => void

  constructor() {
    const listeners = CHANNELS.map(name => [
      name,
      (message: object) => this.all.push({ name, message }),
    ])
    this.stop = listen(Object.fromEntries(listeners) as Listeners)
  }

  of<Name extends DiagnosticsName>(name: Name): DiagnosticsMessages[Name][] {
    return this.all
      .filter(each => each.name === name)
      .map(({ message }) => message as DiagnosticsMessages[Name])
  }

  [Symbol.dispose](): void {
    this.stop()
  }
}
