// The API's answers to the console, in one place: the server's answers and the console's types both come from these schemas.
export * from "./console/agents.ts";
export * from "./console/attention.ts";
export * from "./console/awaiting.ts";
export * from "./console/bulk.ts";
export * from "./console/claims.ts";
export * from "./console/dead-letters.ts";
export * from "./console/held-up.ts";
export * from "./console/job.ts";
export * from "./console/overview.ts";
export type * from "./console/parts.ts";
export * from "./console/session.ts";
export * from "./console/supervision.ts";
