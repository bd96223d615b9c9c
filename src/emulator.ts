// The public entry of the subpath `feedmill/emulator`.

export {
  createEmulator,
  createWorld,
  type Emulator,
  type EmulatorOptions,
  type FaultKind,
  type FaultOptions,
  type FileFormat,
  feedLines,
  gzipBytes,
  type Item,
  type ItemChange,
  type ItemGroup,
  PASSING_FAULTS,
  type TruthRow,
  tsvBytes,
  type World,
  type WorldOptions,
} from './emulator/index'
