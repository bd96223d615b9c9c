// The public names of the subpath `feedmill/queue`, which spreads categories over workers on many
// machines by a queue in Redis. It needs the packages bullmq and ioredis.

export type { QueueOptions } from './queue-options'
export {
  type JobFailure,
  type QueueStatus,
  queueStatus,
  type ScheduledCategory,
} from './queue-status'
export { type RequestLimit, type RequestLimitOptions, requestLimit } from './request-limit'
export {
  type ScheduleOptions,
  scheduleCategories,
  type UnscheduleOptions,
  unscheduleCategories,
} from './schedule-categories'
export { type FeedWorker, type JobReport, startWorker, type WorkerOptions } from './worker'
