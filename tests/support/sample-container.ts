// The container of the sample's orders, for the core's store.
import type { Container } from "@azure/cosmos";
import { idNameOf } from "@scheduler-agent-supervisor/core/internal/messaging/contract";
import type { JobsContainer } from "@scheduler-agent-supervisor/core/internal/store/cosmos-job-store";
import { contracts } from "../../shared/contracts/order.ts";

export function sampleContainer(container: Container): JobsContainer {
  return { container, idName: idNameOf(contracts) };
}
