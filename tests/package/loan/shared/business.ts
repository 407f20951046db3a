// The business of this app, in one place: what it accepts, its agents, its rules and its workflow.
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { agents } from "./agents.ts";
import { checkedServices } from "./checked-services.ts";
import { contracts } from "./contract.ts";
import { rules } from "./rules.ts";
import { loans } from "./workflows/loan.ts";

export const business = defineApp({ contracts, agents, workflows: loans, rules, checkedServices });
