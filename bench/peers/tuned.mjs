// graphile-worker with the measured settings: jobs fetched and completed in batches.
import { Logger } from 'graphile-worker';

export const logger = new Logger(() => () => {});

export const tuned = (pgPool, concurrentJobs) => ({
  worker: {
    pgPool,
    logger,
    concurrentJobs,
    pollInterval: 2000,
    localQueue: { size: 500, refetchDelay: { durationMs: 10, threshold: 0 } },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
});
