// Workflows of this app's agents: what one names and is not there does not compile. The workflow of a child job is defined by a `workflowsOf`
// with its own agents alone, because the agent that submits it is one of these.
import { NO_RULES, workflowsOf } from "@scheduler-agent-supervisor/core/workflows";
import { agents } from "./agents.ts";
import { contracts } from "./contract.ts";

export const defineWorkflow = workflowsOf(agents, NO_RULES, contracts);
