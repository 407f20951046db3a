// The documents of a job in its partition: the state record, and one for each revision of the job's content.
import type { OperationInput, PatchOperation } from "@azure/cosmos";
import { type Job, REMOVED } from "../domain/content/job.ts";
import type { Lifetime } from "../domain/record/guarded-write.ts";
import type { StateRecord } from "../domain/record/state-record.ts";
import { JOB_VERSION } from "./record-versions.ts";

export const STATE_ID = "state";
export const FIRST_REVISION = 1;

/** "Time to live (TTL) in Azure Cosmos DB": never, whatever the container's default; otherwise seconds since the last write. */
const FOR_EVER = -1;

export const contentId = (revision: number): string => (revision === FIRST_REVISION ? "job" : `job-${revision}`);

/** A whole document as it is written: here, and nowhere else, the id is added under the contract's name for it, which is the path of the partition key. */
export function documentOf<Body extends { readonly jobId: string }>(id: string, body: Body, idName: string) {
  return { id, ...body, ...(idName !== "jobId" && { [idName]: body.jobId }) };
}

export function contentOperation(
  { jobId, owner }: Pick<StateRecord, "jobId" | "owner">,
  job: Job,
  revision: number,
  idName: string,
): OperationInput {
  const body = { jobId, schemaVersion: JOB_VERSION, ...(owner && { owner }), job };
  const resourceBody = documentOf(contentId(revision), body, idName);
  return { operationType: "Create", resourceBody } as unknown as OperationInput;
}

/** Removes all documents of a job. The library supports no condition for a removal: so the record is written first, at the version that was read. */
export function erasingOperations(etag: string, revisions: number): OperationInput[] {
  const operations: PatchOperation[] = [{ op: "set", path: "/ttl", value: 1 }];
  const contents = Array.from({ length: revisions }, (_, index) => contentId(index + FIRST_REVISION));
  return [
    { operationType: "Patch", id: STATE_ID, ifMatch: etag, resourceBody: { operations } },
    ...[STATE_ID, ...contents].map((id) => ({ operationType: "Delete", id }) as const),
  ];
}

export function ttlOf({ keepMs }: Pick<Lifetime, "keepMs">) {
  const value = keepMs === null ? FOR_EVER : Math.max(1, Math.ceil(keepMs / 1000));
  return { op: "set", path: "/ttl", value } as const;
}

/** The documents of every revision of the content; the state record is written with them. */
export function lifetimeOperations(lifetime: Lifetime): OperationInput[] {
  const operations: PatchOperation[] = [ttlOf(lifetime)];
  for (const name of lifetime.secrets) operations.push({ op: "set", path: `/job/${name}`, value: REMOVED });
  return Array.from({ length: lifetime.revisions }, (_, index) => {
    const resourceBody = { operations };
    return { operationType: "Patch", id: contentId(index + FIRST_REVISION), resourceBody };
  });
}
