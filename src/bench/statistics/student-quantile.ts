// The quantile of Student's distribution, which says how far the mean of a small sample may lie from
// the true one.

const STEPS = 1_000
const STEP = Math.PI / 2 / STEPS

/**
 * Returns the t that holds `level` of the distribution between -t and t. With t = √freedom · tan(a),
 * the density of the angle is cos(a) to the power of freedom - 1, which has no tail to integrate.
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
