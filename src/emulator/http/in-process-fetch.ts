// The service as a `fetch` without a socket. An aborted request ends at once, while its answer is
// made as well as while it is read.

/** The part of the platform's `fetch` that the emulator has. */
export type InProcessFetch = (
  input: Request | string | URL,
  init?: RequestInit,
) => Promise<Response>

export function inProcessFetch(answer: (request: Request) => Promise<Response>): InProcessFetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const response = await untilAborted(answer(request), request.signal)
    if (response.body === null) return response
    return new Response(bodyUntilAborted(response.body, request.signal), {
      status: response.status,
      headers: response.headers,
    })
  }
}

async function untilAborted(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    // A request has a signal of its own, so no listener outlives it.
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  return Promise.race([aborted, answer])
}

/** Reads nothing ahead, so an unread body takes nothing from its source. */
function bodyUntilAborted(
  source: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const abort = () => {
          controller.error(signal.reason)
          // The reader of the body already has the reason.
          reader.cancel(signal.reason).catch(() => {})
        }
        signal.addEventListener('abort', abort, { once: true })
      },
      async pull(controller) {
        const { done, value } = await reader.read()
        if (signal.aborted) return
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: reason => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}
