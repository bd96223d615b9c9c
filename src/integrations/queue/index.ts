// The door of the room queue: what the public entries and the other rooms use of it.

export { type QueueStatus, queueStatus } from './queue-status'
export type { QueueOptions } from './redis-connection'
export { type RequestLimit, type RequestLimitOptions, requestLimit } from './request-limit'
export * from './schedule-categories'
export { type FeedWorker, startWorker } from './worker'
export type { FeedWorkerOptions, JobReport, WorkerOptions } from './worker-options'
