// The digest of the submitted content in a status message, so that its sender can distinguish its own job from another under the same id (P15).
import { createHash } from "node:crypto";
import { canonicalJson } from "../domain/content/exact-json.ts";

/**
 * SHA-256, in hex, of the body as canonical JSON: members sorted by name, no white space, text trimmed, and optional members filled in: a
 * workflow, and the priority. `packages/client/src/content-digest.ts` does the same; docs/how-to/submitting.md describes it for other languages.
 * @param usualWorkflow the workflow of content that names none
 */
export function contentDigest(body: unknown, usualWorkflow: string): string {
  return createHash("sha256")
    .update(canonicalJson({ workflow: usualWorkflow, priority: "normal", ...(body as object) }, trimmed))
    .digest("hex");
}

const trimmed = (member: unknown) => (typeof member === "string" ? member.trim() : member);
