// All workflows that this app knows: every version that an unfinished order may have begun with.
import { exchange } from "./exchange.ts";
import { orderFulfilment } from "./order-fulfilment.ts";
import { returns } from "./returns.ts";
import { smoke } from "./smoke.ts";
import { tours } from "./tour.ts";
import { trips } from "./trip.ts";

export const workflows = [...orderFulfilment, ...returns, exchange, ...trips, ...tours, smoke];
