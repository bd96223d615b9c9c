// The public names of the subpath `feedmill/queue`, which spreads categories, and feeds of one's own,
// over workers on many machines by a queue in Redis. It needs the packages bullmq and ioredis.

export {
  type FeedScheduleOptions,
  type FeedUnscheduleOptions,
  type FeedWorker,
  type FeedWorkerOptions,
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
