// All agents of this app.
import { bankAgent } from "./agents/bank.ts";
import { bureauAgent } from "./agents/bureau.ts";
import { decision } from "./agents/decision.ts";
import { officeAgent } from "./agents/office.ts";
import { registryAgent } from "./agents/registry.ts";
import { surveyorAgent } from "./agents/surveyor.ts";

export const agents = [registryAgent, bureauAgent, surveyorAgent, decision, officeAgent, bankAgent] as const;
