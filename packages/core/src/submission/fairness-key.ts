// The key by which the turns of waiting jobs are divided (P31).

import type { Job } from "../domain/content/job.ts";
import type { ValidSubmission } from "./submission-message.ts";

/** The owner's name comes from its queue. On a queue that several senders share, the content has the key. */
export function fairnessKeyOf({ job, owner, contract }: ValidSubmission): string {
  return owner ?? memberOf(job, contract.fairnessKey);
}

/** As Temporal's: a longer key is cut. */
const FAIRNESS_KEY_LIMIT = 64;

/** The text of the content's member at that path; empty if there is none. */
function memberOf(content: Job, path: string | undefined): string {
  if (path === undefined) return "";
  let value: unknown = content;
  for (const name of path.split(".")) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) return "";
    value = (value as { readonly [name: string]: unknown })[name];
  }
  return typeof value === "string" || typeof value === "number" ? String(value).slice(0, FAIRNESS_KEY_LIMIT) : "";
}
