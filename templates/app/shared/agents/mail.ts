// The agent of the mail service: sends a welcome. What is sent can't be taken back.
import { defineAgent, idAs, serviceId } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";
import type { Registration } from "../contract.ts";

export const mailAgent = defineAgent({
  name: "mail",
  service: { setting: "MailEndpoints", local: "http://127.0.0.1:7081" },
  seen: ({ registrationId, email }: Registration) => ({ registrationId, email }),
  // It needs to know which account was opened.
  reads: { openAccount: z.object({ accountId: serviceId }) },
  answers: [{ status: 422, means: "rejected" }],
  results: { welcome: idAs("mailId") },
  operations: {
    welcome: ({ job, results }) => ({
      path: "mails",
      body: { ...job, accountId: results.openAccount?.accountId ?? null },
    }),
  },
});
