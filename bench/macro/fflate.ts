// fflate's streaming inflate, which checks neither CRC32 nor size.

import { Gunzip } from 'fflate'
import { bytesCase, fileBytes } from './macro-case'

export const fflate = bytesCase({
  name: 'fflate',
  contender: 'fflate',
  title: 'streaming Gunzip, one thread, trailer not verified, output dropped',
  ours: false,
  async run(path, use) {
    const gunzip = new Gunzip(use)
    for await (const block of fileBytes(path)) gunzip.push(block as Uint8Array)
    gunzip.push(new Uint8Array(), true)
  },
})
