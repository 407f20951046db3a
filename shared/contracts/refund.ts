// What a return and the order that was sold have to agree on.
import { serviceId } from "@scheduler-agent-supervisor/core/agents";
import { z } from "zod";

/** The workflows whose orders name the order that was sold. */
export const RETURN_WORKFLOWS: readonly string[] = ["returns"];

/** What is reserved for a return; the amount is in the currency's smallest unit. */
export const reservedRefund = z.object({ chargeId: serviceId, amount: z.int(), currency: z.string() });
