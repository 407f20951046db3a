// The contract of an operator's requests over HTTP: each is checked as a whole, and every fault is named.

import { z } from "zod";
import type { Job } from "../domain/content/job.ts";
import { durationMs } from "../domain/duration.ts";
import type { OperatorAction } from "../domain/operator/operator-action.ts";
import { parseEdit, type SubmissionRules } from "../submission/submission-message.ts";
import { stepResult } from "./agent-messages.ts";
import { type Checked, check, checkJson } from "./checked.ts";
import { idNameOf } from "./contract.ts";

const LONGEST_MS = 7 * 86_400_000;

export const extension = z
  .string()
  .refine(
    (text) => (durationMs(text) ?? Number.POSITIVE_INFINITY) <= LONGEST_MS,
    "must be an ISO 8601 duration such as PT10M, of at most P7D",
  );

/** An action on a job as a whole. */
export type ActionName = Exclude<OperatorAction["kind"], "recordOutcome">;

/** The requested action on a job, with its new content if a resubmission has one. */
export type OperatorRequest =
  | (Omit<Extract<OperatorAction, { kind: "resubmit" }>, "edited"> & { readonly job: Job | null })
  | Extract<OperatorAction, { kind: "compensate" | "cancel" | "extend" | "markResolved" | "recordOutcome" }>;

export type Parsed<T> =
  | ({ readonly kind: "valid" } & T)
  | { readonly kind: "invalid"; readonly faults: readonly string[] };

const BODY = "the body";

const reason = z.string().trim().min(1).max(500);
const direction = z.enum(["forward", "compensate"]).optional();
const by = extension.transform((text) => durationMs(text) ?? 0);

export const operatorBodies = {
  resubmit: z.strictObject({
    reason,
    job: z.unknown().optional(),
    compensatedManually: z.boolean().default(false),
    direction: z.literal("forward").optional(),
  }),
  compensate: z.strictObject({ reason }),
  cancel: z.strictObject({ reason }),
  extend: z.strictObject({ reason, by, only: z.literal("deadline").optional() }),
  markResolved: z.strictObject({ reason }),
};

/** @param text the request's body */
export function parseOperatorRequest(
  action: ActionName,
  jobId: string,
  text: string,
  rules: SubmissionRules,
): Parsed<{ readonly request: OperatorRequest }> {
  const body = jsonObject(text);
  if (!body) return { kind: "invalid", faults: [`${BODY} must be a JSON object`] };
  switch (action) {
    case "resubmit":
      return parseResubmit(jobId, body, rules);
    case "compensate":
    case "cancel":
    case "markResolved": {
      const parsed = check(operatorBodies[action], body, BODY);
      return parsed.kind === "invalid" ? parsed : valid({ kind: action, ...parsed.value });
    }
    case "extend": {
      const parsed = check(operatorBodies.extend, body, BODY);
      if (parsed.kind === "invalid") return parsed;
      const { reason, by, only } = parsed.value;
      return valid({ kind: "extend", reason, byMs: by, ...(only && { only }) });
    }
    default:
      return action satisfies never;
  }
}

export const erasureBody = z.strictObject({ reason });

/** @param text the request's body */
export function parseErasure(text: string): Parsed<{ readonly reason: string }> {
  const body = jsonObject(text);
  if (!body) return { kind: "invalid", faults: [`${BODY} must be a JSON object`] };
  const parsed = check(erasureBody, body, BODY);
  return parsed.kind === "invalid" ? parsed : { kind: "valid", reason: parsed.value.reason };
}

/** The report that a service would have sent: an operator gives a reason in place of its message. */
export const reportBody = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("done"), reason, result: stepResult.default({}) }),
  z.strictObject({ kind: z.literal("rejected"), reason }),
]);

/** What a person found out of a step whose outcome is unknown. */
export const outcomeBody = z.discriminatedUnion("outcome", [
  z.strictObject({ outcome: z.literal("done"), reason, direction, result: stepResult.optional() }),
  z.strictObject({ outcome: z.literal("notDone"), reason, direction }),
]);

/** @param text the request's body */
export function parseStepOutcome(text: string): Checked<z.output<typeof outcomeBody>> {
  return checkJson(outcomeBody, text, BODY);
}

export type StepReport = z.output<typeof reportBody>;

/** @param text the request's body */
export function parseStepReport(text: string): Checked<StepReport> {
  return checkJson(reportBody, text, BODY);
}

function parseResubmit(
  jobId: string,
  body: object,
  rules: SubmissionRules,
): Parsed<{ readonly request: OperatorRequest }> {
  const parsed = check(operatorBodies.resubmit, body, BODY);
  const faults = parsed.kind === "invalid" ? [...parsed.faults] : [];
  const edited = "job" in body ? parseEdit(body.job, {}, rules) : null;
  if (edited?.kind === "invalid") faults.push(...edited.faults.map((fault) => `job: ${fault}`));
  if (edited?.kind === "valid" && edited.jobId !== jobId) {
    faults.push(`job: ${idNameOf(rules.contracts)}: must be "${jobId}": a resubmission keeps the id`);
  }
  if (parsed.kind === "invalid" || faults.length > 0) return { kind: "invalid", faults };
  const job = edited?.kind === "valid" ? edited.job : null;
  const { reason, compensatedManually, direction } = parsed.value;
  return valid({ kind: "resubmit", reason, job, compensatedManually, ...(direction && { direction }) });
}

function jsonObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const valid = (request: OperatorRequest) => ({ kind: "valid", request }) as const;
