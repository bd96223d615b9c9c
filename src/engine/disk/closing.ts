// Work that ends with closing or undoing something, also after a failure. The first failure is the
// one that the caller gets.

/** Returns the result of `use`, and closes what it used in any case. */
export async function closing<R extends { close(): Promise<unknown> }, T>(
  opened: R,
  use: (opened: R) => Promise<T>,
): Promise<T> {
  const result = await orUndo(
    () => use(opened),
    () => opened.close(),
  )
  await opened.close()
  return result
}

/** Returns the result of `work`, and calls `undo` with the error where it fails. */
export async function orUndo<T>(
  work: () => Promise<T>,
  undo: (error: unknown) => Promise<unknown>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await undo(error).catch(() => {})
    throw error
  }
}
