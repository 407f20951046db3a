// A container of the sample's database, for the core's stores: its documents have the sample's names.
import type { Container } from "@azure/cosmos";
import type { OrdersContainer } from "@scheduler-agent-supervisor/core/store/cosmos-order-store";
import { namedContainer } from "@scheduler-agent-supervisor/core/store/named-container";
import { contracts } from "../../shared/contracts/order.ts";

export const { noun: ORDER } = contracts;

export function sampleContainer(container: Container): OrdersContainer {
  return { container: namedContainer(container, ORDER), noun: ORDER };
}
