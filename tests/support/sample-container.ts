// A container of the sample's database, for the core's stores: its documents have the sample's names.
import type { Container } from "@azure/cosmos";
import type { JobsContainer } from "@scheduler-agent-supervisor/core/internal/store/cosmos-job-store";
import { namedContainer } from "@scheduler-agent-supervisor/core/internal/store/named-container";
import { contracts } from "../../shared/contracts/order.ts";

export const { noun: ORDER } = contracts;

export function sampleContainer(container: Container): JobsContainer {
  return { container: namedContainer(container, ORDER), noun: ORDER };
}
