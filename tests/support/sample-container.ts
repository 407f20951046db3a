// The container of the sample's orders, for the core's store.
import type { Container } from "@azure/cosmos";
import type { JobsContainer } from "@scheduler-agent-supervisor/core/create-app";
import { idNameOf } from "@scheduler-agent-supervisor/core/messaging";
import { contracts } from "../../shared/contracts/order.ts";

export function sampleContainer(container: Container): JobsContainer {
  return { container, idName: idNameOf(contracts) };
}
