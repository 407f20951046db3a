// Workflows of this app's agents: what one names and is not there does not compile.
import { workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { agents } from "./agents.ts";
import { contracts } from "./contracts/order.ts";
import { workflowRules } from "./workflows/rules.ts";

export const defineWorkflow = workflowsOf(agents, workflowRules, contracts);
