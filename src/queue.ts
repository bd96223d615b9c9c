// The public names of the subpath `feedmill/queue`, which spreads categories over workers on many
// machines by a queue in Redis. It needs the packages bullmq and ioredis.

export {
  type FeedWorker,
  type JobReport,
  type QueueOptions,
  type QueueStatus,
  queueStatus,
  type RequestLimit,
  type RequestLimitOptions,
  requestLimit,
  type ScheduleOptions,
  scheduleCategories,
  startWorker,
  type UnscheduleOptions,
  unscheduleCategories,
  type WorkerOptions,
} from './integrations/queue/index'
