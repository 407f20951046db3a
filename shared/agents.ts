// All agents of this app: adding one is a file and a line here.

import { approvalAgent } from "./agents/approval.ts";
import { carAgent } from "./agents/car.ts";
import { flightAgent } from "./agents/flight.ts";
import { fraudAgent } from "./agents/fraud.ts";
import { hotelAgent } from "./agents/hotel.ts";
import { inventoryAgent } from "./agents/inventory.ts";
import { paymentAgent } from "./agents/payment.ts";
import { replacementAgent } from "./agents/replacement.ts";
import { shippingAgent } from "./agents/shipping.ts";
import { smokeAgent } from "./agents/smoke.ts";
import { refundsAgent } from "./operations/refunds-agent.ts";

/** One that is not in this app stands here too, by `defineRemoteAgent`: docs/how-to/agents-elsewhere.md shows one. */
export const agents = [
  inventoryAgent,
  paymentAgent,
  fraudAgent,
  shippingAgent,
  hotelAgent,
  flightAgent,
  carAgent,
  approvalAgent,
  refundsAgent,
  replacementAgent,
  smokeAgent,
] as const;
