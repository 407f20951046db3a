// The agents as activities (P6): one for each, and one that asks an agent over its queue (P7).
import { agentActivity, askAgentActivity } from "@scheduler-agent-supervisor/core/functions";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

const extraInputs = [df.input.durableClient()];

for (const name of application.business.agentNames) {
  df.app.activity(`${name}Agent`, { extraInputs, handler: agentActivity(application) });
}
df.app.activity("askAgent", { extraInputs, handler: askAgentActivity(application) });
