// The agent of the mail service: sends a welcome. What is sent can't be taken back.
import { callService, defineAgent, keepId, serviceId } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import type { Registration } from "../contract.ts";

export const mailAgent = defineAgent({
  name: "mail",
  service: { setting: "MailEndpoints", local: "http://127.0.0.1:7081" },
  seen: ({ registrationId, email }: Registration) => ({ registrationId, email }),
  // It needs to know which account was opened.
  reads: { openAccount: z.object({ accountId: serviceId }) },
  results: { welcome: z.object({ mailId: serviceId }) },
  operations: {
    welcome: (call) => {
      const accountId = call.results.openAccount?.accountId ?? null;
      const body = { ...call.job, accountId };
      const answers = [{ status: 422, means: "rejected" }] as const;
      return callService({ path: "mails", body, keep: keepId("mailId"), answers }, call);
    },
  },
});
