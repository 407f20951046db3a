// Workflows of this app's agents: what one names and is not there does not compile.
import { NO_RULES, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { agents } from "./agents.ts";
import { contracts } from "./contract.ts";

export const defineWorkflow = workflowsOf(agents, NO_RULES, contracts);
