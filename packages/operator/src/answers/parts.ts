// The common parts of several answers of the API.

import { ERROR_KINDS, PROCESS_STATES, SKIP_CAUSES } from "@scheduler-agent-supervisor/core/domain";
import { z } from "zod";

export const instant = z.string();
export const count = z.int().min(0);
export const processState = z.enum(PROCESS_STATES);
export const stepState = z.enum([
  "NotStarted",
  "Scheduled",
  "Running",
  "Awaiting",
  "Completed",
  "Skipped",
  "Failed",
  "Compensated",
]);
export const direction = z.enum(["forward", "compensate"]);
export const errorKind = z.enum(ERROR_KINDS);
export const skipCause = z.enum(SKIP_CAUSES);

export type ProcessState = z.output<typeof processState>;
export type StepState = z.output<typeof stepState>;
export type SkipCause = z.output<typeof skipCause>;
export type ErrorKind = z.output<typeof errorKind>;
