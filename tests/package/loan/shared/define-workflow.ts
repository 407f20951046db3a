// Workflows of this app's agents: what one names and is not there does not compile.
import { workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { agents } from "./agents.ts";
import { contracts } from "./contract.ts";
import { rules } from "./rules.ts";

export const defineWorkflow = workflowsOf(agents, rules, contracts);
