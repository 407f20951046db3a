// The API's answers to the console, in one place: the server's answers and the console's types both come from these schemas.
export * from "../answers/agents.ts";
export * from "../answers/attention.ts";
export * from "../answers/awaiting.ts";
export * from "../answers/bulk.ts";
export * from "../answers/dead-letters.ts";
export * from "../answers/held-up.ts";
export * from "../answers/job.ts";
export * from "../answers/overview.ts";
export type * from "../answers/parts.ts";
export * from "../answers/session.ts";
export * from "../answers/supervision.ts";
export * from "../answers/taken.ts";
