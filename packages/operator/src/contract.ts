// Public entry `operator/contract`: the answers of the operator API, for its clients: console and commands. The server checks its answers against them too.
export * from "./answers/agents.ts";
export * from "./answers/attention.ts";
export * from "./answers/awaiting.ts";
export * from "./answers/bulk.ts";
export * from "./answers/dead-letters.ts";
export * from "./answers/held-up.ts";
export * from "./answers/job.ts";
export * from "./answers/overview.ts";
export type * from "./answers/parts.ts";
export * from "./answers/session.ts";
export * from "./answers/supervision.ts";
export * from "./answers/taken.ts";
