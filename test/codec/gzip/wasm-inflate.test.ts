import { describe } from 'vitest'
import { wasmEngine } from '../../../src/codec/gzip/wasm-inflate'
import { engineContract } from './engine-contract'

describe('the WebAssembly engine', () => {
  engineContract(wasmEngine())
})
