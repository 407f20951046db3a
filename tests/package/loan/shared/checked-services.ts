// What the agents' services were seen to do when they were checked. Written by `npm run services:check -- --agent NAME --write`.
import type { CheckedServices } from "@scheduler-agent-supervisor/core/app";
import type { agents } from "./agents.ts";

export const checkedServices: CheckedServices<typeof agents> = {};
