import {api, data, type Schemas} from './client';
import {Live} from './live.svelte';

type Job = Schemas['Job'];

const lookAgainMs = 1_000;

/** A job, followed until it has ended. `ended` is called once, with its last state. `stop` follows it no longer. */
export class FollowedJob {
  readonly live: Live<Job>;
  #isOver = false;

  constructor(readonly guid: string, ended: (job: Job) => void) {
    this.live = new Live(async (signal) => {
      const job = await data(api.GET('/api/jobs/{guid}', {params: {path: {guid}}, signal}));
      if (job.status !== 'running' && !this.#isOver) {
        this.#isOver = true;
        // After this read, which plans the next one, is complete.
        setTimeout(() => this.live.stop());
        ended(job);
      }
      return job;
    }, lookAgainMs);
    void this.live.refresh();
  }

  get job(): Job | undefined {
    return this.live.value;
  }

  /** Ends the job itself. Throws ApiError, such as 409 if it has ended. */
  async cancel(): Promise<void> {
    await api.DELETE('/api/jobs/{guid}', {params: {path: {guid: this.guid}}});
    await this.live.refresh();
  }

  stop(): void {
    this.live.stop();
  }
}

/** The header that makes a call a job. */
export const asJob = {Prefer: 'respond-async'} as const;

/** The guid of the job in an answer to a call with `asJob`. */
export function jobIdOf(answer: unknown): string {
  return (answer as {data: {jobId: string}}).data.jobId;
}
