// Workflows of this app's agents: what one names and is not there does not compile.
import { workflowsOf } from "@scheduler-agent-supervisor/core/app/define-workflow";
import { NO_RULES } from "@scheduler-agent-supervisor/core/domain/workflow-rules";
import { agents } from "./agents.ts";

export const defineWorkflow = workflowsOf(agents, NO_RULES);
