// The business of this app, in one place: what it accepts, its agents, and its workflows.
import { defineApp } from "@scheduler-agent-supervisor/core/app";
import { agents } from "./agents.ts";
import { checkedServices } from "./checked-services.ts";
import { contracts } from "./contract.ts";
import { registrations } from "./workflows/registration.ts";

export const business = defineApp({ contracts, agents, workflows: registrations, checkedServices });
