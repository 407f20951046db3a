// The business of this app, in one place: what it accepts, its agents, and its workflows.
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { agents } from "./agents.ts";
import { checkedServices } from "./checked-services.ts";
import { contracts } from "./contracts/order.ts";
import { workflowRules } from "./workflows/rules.ts";
import { workflows } from "./workflows/workflows.ts";

export const business = defineApp({ contracts, agents, workflows, rules: workflowRules, checkedServices });
