// The id of a child job (P35): derived from its parent's, its step and the step's generation, so that each try of each attempt means the same child.
import { createHash } from "node:crypto";

/** As the schema of a job's id has it. */
const ID_LIMIT = 80;
const DIGEST_LENGTH = 12;

/** A child job's id, and the step that it belongs to. */
export interface ChildId {
  readonly parentId: string;
  readonly step: string;
  readonly jobId: string;
}

/**
 * @param idempotencyKey of the step's forward run: see domain/record/idempotency-key.ts
 * @returns the parent's id and the step, with the generation from the second on; where that is too long, its start and a digest of the whole. It
 * begins with the parent's id, so it has the prefix of the owner's ids.
 */
export function childIdOf(idempotencyKey: string): ChildId {
  const [parentId = "", step = "", , generation] = idempotencyKey.split(":");
  const whole = [parentId, step, ...(generation === undefined ? [] : [generation])].join("-");
  if (whole.length <= ID_LIMIT) return { parentId, step, jobId: whole };
  const digest = createHash("sha256").update(idempotencyKey).digest("hex").slice(0, DIGEST_LENGTH);
  return { parentId, step, jobId: `${whole.slice(0, ID_LIMIT - DIGEST_LENGTH - 1)}-${digest}` };
}
