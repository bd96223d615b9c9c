// Computes the trimmed mean of a sample with its confidence interval, by the method of Tukey and
// McLaughlin (for two samples, of Yuen). What a busy machine adds has a long tail. The trimmed mean
// leaves that tail out, and uses more of the other values than a median does.

export interface Interval {
  /** The mean without the lowest and the highest fifth of the values. */
  readonly mean: number
  readonly low: number
  readonly high: number
}

/** The share of the values that is left out at each end. */
const TRIMMED = 0.2

/**
 * @param values at least two
 * @param level the share of samples whose interval holds the true mean, such as 0.95
 */
export function trimmedMean(values: readonly number[], level: number): Interval {
  return interval(estimateOf(values), level)
}

/** The interval of the mean of `after` minus the mean of `before`, two independent samples. */
export function differenceOfMeans(
  before: readonly number[],
  after: readonly number[],
  level: number,
): Interval {
  const [from, to] = [estimateOf(before), estimateOf(after)]
  return interval(
    {
      mean: to.mean - from.mean,
      variance: to.variance + from.variance,
      freedom: Math.min(to.freedom, from.freedom),
    },
    level,
  )
}

interface Estimate {
  readonly mean: number
  /** The variance of the mean. */
  readonly variance: number
  readonly freedom: number
}

function interval({ mean, variance, freedom }: Estimate, level: number): Interval {
  const reach = studentQuantile(level, freedom) * Math.sqrt(variance)
  return { mean, low: mean - reach, high: mean + reach }
}

/**
 * The variance comes from the winsorized sample, in which the nearest value that counts stands for
 * each value that is left out.
 */
function estimateOf(values: readonly number[]): Estimate {
  const sorted = values.toSorted((a, b) => a - b)
  const cut = Math.floor(sorted.length * TRIMMED)
  const kept = sorted.slice(cut, sorted.length - cut)
  const winsorized = [...Array(cut).fill(kept[0]!), ...kept, ...Array(cut).fill(kept.at(-1)!)]
  const middle = meanOf(winsorized)
  const squares = winsorized.reduce((sum, value) => sum + (value - middle) ** 2, 0)
  const freedom = trimmedFreedom(values.length)
  return { mean: meanOf(kept), variance: squares / (kept.length * freedom), freedom }
}

/** The degrees of freedom of the trimmed mean of so many values. */
export function trimmedFreedom(count: number): number {
  return count - 2 * Math.floor(count * TRIMMED) - 1
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

const STEPS = 1_000
const STEP = Math.PI / 2 / STEPS

/**
 * The quantile of Student's distribution, which says how far the mean of a small sample may lie
 * from the true one. Returns the t that holds `level` of the distribution between -t and t. With t
 * = √freedom · tan(a), the density of the angle is cos(a) to the power of freedom - 1, which has no
 * tail to integrate.
 *
 * @param freedom the degrees of freedom: at least 1
 */
export function studentQuantile(level: number, freedom: number): number {
  const density = Array.from(
    { length: STEPS },
    (_, step) => Math.cos((step + 0.5) * STEP) ** (freedom - 1),
  )
  let beyond = (1 - level) * density.reduce((sum, part) => sum + part, 0)
  let steps = STEPS
  while (beyond > density[steps - 1]!) beyond -= density[--steps]!
  return Math.sqrt(freedom) * Math.tan((steps - beyond / density[steps - 1]!) * STEP)
}
