// What a status message says of the content that was submitted: by it a client knows its own job from another under the same id.
import type { JobRequest } from "./job-messages.ts";

/**
 * SHA-256, in hex, of the job as canonical JSON.
 * @param usualWorkflow of a job that names none
 */
export async function contentDigest(job: JobRequest, usualWorkflow: string | undefined): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(job, usualWorkflow)));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The same for two jobs that the app takes for one: it fills in what is left out, and trims. */
function canonical(job: JobRequest, usualWorkflow: string | undefined): string {
  // As it is sent: a member without a value is left out.
  const sent = JSON.parse(JSON.stringify(job)) as JobRequest;
  return inForm({ workflow: usualWorkflow, priority: "normal", ...sent });
}

/** RFC 8785. An object of JavaScript can't be in that sequence: it begins with its names that are whole numbers. */
function inForm(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.trim());
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inForm).join(",")}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${inForm(member)}`).join(",")}}`;
}
