// Compares the working tree with an earlier commit of its repository.

import { anyText, filledText, type OptionNames } from '../engine/index'
import { baseTree } from './base-tree'
import { BENCH_OPTION_NAMES, type BenchOptions, benchPlan, LEAST_ROUNDS } from './bench-plan'
import { benchProcesses } from './bench-process'
import type { BenchReport } from './bench-report'
import { compareTrees } from './compare-trees'

export interface CompareWithCommitOptions extends BenchOptions {
  /** The commit to compare with, by any name that git knows, such as `origin/main`. */
  readonly base: string
  /**
   * The command that builds the tree of the commit, such as `npm ci && npm run build`. The shell
   * runs it in the root of that tree, with the root of the working tree in the environment variable
   * FEEDMILL_BENCH_HEAD. Default: nothing is built.
   */
  readonly build?: string
}

const NAMES: OptionNames<CompareWithCommitOptions> = {
  ...BENCH_OPTION_NAMES,
  base: true,
  build: true,
}

/**
 * Checks out a commit into the folder `.feedmill-bench` of the repository, builds it, and runs the
 * same files of benchmarks in both trees. A relative import of a file leads to its own tree; the
 * working directory is the same for both. The runs are interleaved, so that a disturbance meets
 * both sides. The working tree must be built already.
 *
 * @throws FeedError OPTION_INVALID, BENCH_FILE_INVALID, BENCH_RESULT_WRONG, BENCH_FAILED, and the
 * errors of the pipelines
 */
export async function compareWithCommit(options: CompareWithCommitOptions): Promise<BenchReport> {
  const plan = benchPlan(options, NAMES, LEAST_ROUNDS)
  const base = filledText('base', options.base)
  const build = options.build === undefined ? undefined : anyText('build', options.build)
  const { files, onProgress } = plan
  const tree = await baseTree({
    files,
    base,
    build,
    onProgress: what => onProgress({ done: 0, what }),
  })
  try {
    const name = `${base} (${tree.commit.slice(0, 12)})`
    const trees = { inBase: tree.inBase, base: { kind: 'commit', name }, seed: 1 } as const
    return await compareTrees(plan, trees, benchProcesses())
  } finally {
    await tree.drop()
  }
}
