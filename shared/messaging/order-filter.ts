// Which orders are meant: the members of a search, the same for a list and for an action on all that match.
import { z } from "zod";
import { ERROR_KINDS } from "../domain/state-record.ts";

/** What is looked for is no longer than a name. */
const NAME_LIMIT = 200;

/** The search's own members beside the state. */
export const orderFilter = {
  kind: z.enum(ERROR_KINDS).optional(),
  workflow: z.string().min(1).max(NAME_LIMIT).optional(),
  step: z
    .string()
    .regex(/^[a-z][A-Za-z0-9]{0,49}$/, "must be the name of a step, such as takePayment")
    .optional(),
  q: z.string().trim().min(1).max(NAME_LIMIT).optional(),
};
