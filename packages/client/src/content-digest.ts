// What a status message says of the content that was submitted: by it a client knows its own order from another under the same id.
import type { OrderRequest } from "./order-messages.ts";

/**
 * SHA-256, in hex, of the order as canonical JSON.
 * @param usualWorkflow of an order that names none
 */
export async function contentDigest(order: OrderRequest, usualWorkflow: string | undefined): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(canonical(order, usualWorkflow)));
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The same for two orders that the app takes for one: it fills in what is left out, and trims. */
function canonical(order: OrderRequest, usualWorkflow: string | undefined): string {
  // As it is sent: a member without a value is left out.
  const sent = JSON.parse(JSON.stringify(order)) as OrderRequest;
  const whole = { workflow: usualWorkflow, priority: "normal", ...sent };
  return JSON.stringify(whole, (_, member: unknown) => {
    if (typeof member === "string") return member.trim();
    if (member === null || typeof member !== "object" || Array.isArray(member)) return member;
    return Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}
