// The setting that lists the submission queues of one sender each, generated from infra/entities/service-bus.json.
import { z } from "zod";
import { listSetting } from "../messaging/json-setting.ts";
import { type OwnedQueue, ownershipFaults } from "./owned-queue.ts";

/** The characters allowed in a function's name: the trigger of each queue is named after it. */
const queueName = z.string().regex(/^[a-z][a-z0-9-]{0,99}$/, "must be lower-case letters, digits and -");

const entry = z.strictObject({
  queue: queueName,
  owner: z.string().regex(/^[a-z][a-z0-9-]{0,59}$/, "must be lower-case letters, digits and -"),
  idPrefix: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, "must be the beginning of a job id, of at most 40 characters"),
  replyQueues: z.array(queueName).min(1),
}) satisfies z.ZodType<OwnedQueue>;

export const ownedQueues = listSetting<OwnedQueue>(entry, ownershipFaults);
