// Which operator has taken which job: a small document for each, outside the record, whose version stays. It expires after the container's time.
import { createHash } from "node:crypto";
import { type Container, ErrorResponse } from "@azure/cosmos";
import type { TakenJobs } from "../contract.ts";

type TakenJob = TakenJobs["taken"][number];

/** Every method throws if the store does not answer. */
export interface TakenJobStore {
  /** The last one first. */
  all(): Promise<readonly TakenJob[]>;
  /** @returns who has it: another operator, if they were first */
  take(job: TakenJob): Promise<TakenJob>;
  release(jobId: string): Promise<void>;
}

/** No day has this name. */
const PARTITION = "taken";
const NOT_FOUND = 404;
const CONFLICT = 409;

/** @param container its partition key is `/day`, and `/at` is indexed */
export function createCosmosTakenJobs(container: Container): TakenJobStore {
  const document = (jobId: string) => container.item(idOf(jobId), PARTITION);
  return {
    async all() {
      const query = "SELECT c.jobId, c.takenBy, c.at FROM c ORDER BY c.at DESC";
      return (await container.items.query<TakenJob>(query, { partitionKey: PARTITION }).fetchAll()).resources;
    },

    async take(job) {
      try {
        await container.items.create({ ...job, id: idOf(job.jobId), day: PARTITION });
        return job;
      } catch (cause) {
        if (!isAnswer(cause, CONFLICT)) throw cause;
        const { resource } = await document(job.jobId).read<TakenJob>();
        // It may be released by now.
        return resource ? { jobId: resource.jobId, takenBy: resource.takenBy, at: resource.at } : this.take(job);
      }
    },

    async release(jobId) {
      await document(jobId)
        .delete()
        .catch((cause: unknown) => {
          if (!isAnswer(cause, NOT_FOUND)) throw cause;
        });
    },
  };
}

const isAnswer = (cause: unknown, code: number): boolean => cause instanceof ErrorResponse && cause.code === code;

/** A job's id may contain characters that a document's id may not. */
const idOf = (jobId: string): string => createHash("sha256").update(jobId).digest("hex");
