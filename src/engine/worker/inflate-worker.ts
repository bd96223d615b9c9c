// The program of an inflate worker: inflates the input that its host puts into the shared memory,
// ahead of the reader, until the data ends. `src/engine/wasm/build.mjs` bundles it into one string
// of JavaScript, from which the worker is started, so that users' bundlers need no extra file.

import { parentPort, workerData } from 'node:worker_threads'
import { INPUT_OVER, InflateControl } from '../codec/gzip/inflate-control'
import { InflateCore, NEEDS_INPUT, OUTPUT_FULL } from '../codec/gzip/inflate-core'
import type { CompiledWasm, WasmMemory } from '../codec/wasm-module'

export interface InflateWorkerData {
  readonly module: CompiledWasm
  readonly memory: WasmMemory
  readonly control: SharedArrayBuffer
}

const { module, memory, control: shared } = workerData as InflateWorkerData
const core = new InflateCore(module, memory)
const control = new InflateControl(shared)
let takenBytes = 0
let crc: number | undefined

control.ready()
inflateAll()
tellHost()

function inflateAll(): void {
  for (;;) {
    const input = control.nextInput(core.inputSlots)
    if (control.isStopped) return
    if (input === undefined) {
      publish()
      control.ended(INPUT_OVER, takenBytes, core.unusedBits)
      return
    }
    core.useInput(input.slot, input.bytes)
    takenBytes += input.bytes
    if (!inflateInput()) return
    control.inputTaken()
    tellHost()
  }
}

/** Inflates the current input. Returns false when the worker has nothing more to do. */
function inflateInput(): boolean {
  for (;;) {
    const result = core.run()
    // An output that is not full waits for more input.
    if (result === NEEDS_INPUT) return true
    publish()
    if (result !== OUTPUT_FULL) {
      control.ended(result, takenBytes - core.inputLeft, core.unusedBits)
      return false
    }
    tellHost()
    if (!control.waitForCredit()) return false
    core.releaseOutput(core.outputBlocks)
  }
}

function publish(): void {
  const { outputFrom: from, outputEnd: end, historyBytes } = core
  if (from === end) return
  crc = core.crc(from, end, crc ?? control.crc)
  control.outputMade({ from, end, historyBytes, crc, usedBytes: takenBytes - core.inputLeft })
}

function tellHost(): void {
  if (control.takeHostWaits()) parentPort!.postMessage(0)
}
