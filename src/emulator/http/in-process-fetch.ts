// The service as a `fetch` that needs no socket, with the one duty that a socket would have: an
// aborted request ends at once, whether its answer is still being made or already being read.

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
  const listening = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { signal: listening.signal })
  })
  try {
    return await Promise.race([aborted, answer])
  } finally {
    listening.abort()
  }
}

/** Reads nothing ahead: a body that nobody reads takes nothing from its source. */
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
          reader.cancel(signal.reason).catch(() => {}) // The reader of the body has the reason already.
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
