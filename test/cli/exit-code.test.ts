import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { bugs } from '../../package.json'
import { exitCodeOf, failureLines } from '../../src/cli/exit-code'
