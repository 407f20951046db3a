// What a client sends: a registration, and what of it is secret.
import { type Contracts, defineContract, type Job, jobId, jobMembers } from "@scheduler-agent-supervisor/core/app";
import { z } from "zod";

export interface Registration extends Job {
  readonly registrationId: string;
  readonly email: string;
  readonly plan: "free" | "team";
  readonly password: string;
}

const registration = defineContract<Registration>({
  // The partition key of the jobs' container, in `infra/entities/cosmos.json`.
  idName: "registrationId",
  schema: z.strictObject({
    registrationId: jobId,
    ...jobMembers("registration"),
    email: z.email().max(254),
    plan: z.enum(["free", "team"]),
    password: z.string().min(8).max(200),
  }),
  // Removed once the registration is over.
  secrets: ["password"],
  // What operators find it by, beside its id.
  keys: ["email"],
  keysOf: ({ email }) => ({ email }),
});

export const contracts = { usual: registration, usualWorkflow: "registration", of: {} } satisfies Contracts;
