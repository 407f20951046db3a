// The API's answers besides those for the console: faults, rejections, sweeps and versions of workflows.
import { PROCESS_STATES } from "@scheduler-agent-supervisor/core/domain";
import { z } from "zod";
import { deadLetterCounts, deadLetterPage } from "../contract.ts";

const count = z.int().min(0);

/** 400: every fault of the request. */
export const faults = z.object({ error: z.string(), faults: z.array(z.string()) });

/** 401, 403, 404, 412 and 415. */
export const failure = z.object({ error: z.string() });

/** 409: the request is not possible in the current state. */
export const rejection = z.object({ reason: z.string(), state: z.string().optional() });

/** `/api/submissions`: a job, as its requester is told of it. */
export const submission = z.object({
  jobId: z.string(),
  state: z.enum(PROCESS_STATES),
  status: z.string(),
  isOver: z.boolean(),
  attempt: z.int(),
  submittedAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  detail: z.string().optional(),
  outputs: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
});

/** `POST /api/jobs/{jobId}/erase`. */
export const erased = z.object({ jobId: z.string(), erased: z.literal(true) });

/** `GET /api/workflows`. */
export const workflowVersions = z.object({
  workflows: z.array(
    z.object({
      name: z.string(),
      version: z.int(),
      jobs: z.object({ pending: count, processing: count, inError: count }),
      state: z.enum(["newest", "needed", "mayBeRetired", "missing", "retired"]),
    }),
  ),
});

/** `POST /api/supervisor/sweep`. */
export const swept = z.object({
  kind: z.literal("swept"),
  sweepId: z.string(),
  leader: z.string(),
  epoch: z.int(),
  found: count,
  finished: z.boolean(),
});

/** 409 to a sweep: another supervisor is the leader. */
export const following = z.object({ kind: z.literal("following"), leader: z.string().optional() });

/** `GET /api/dead-letters`, with or without `queue`. */
export const deadLetters = z.union([deadLetterPage, deadLetterCounts]);

/** A JSON Schema, or an OpenAPI document. */
export const document = z.record(z.string(), z.unknown());
