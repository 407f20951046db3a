// Rewinding: takes the failures out of the history of a failed instance, so that what failed is scheduled again and all else stands.
// As AzureTableTrackingStore.RewindHistoryAsync of DurableTask.AzureStorage does it: every failure, and sub-orchestrations with their own.
import { EventType, endedTask, type HistoryEvent, rewound } from "./history.ts";
import type { InstanceRow, InstanceStore, ParentLink } from "./instance-store.ts";

/** To be called inside `Database.write`, with a failed instance. Answers it and the failed children under it, which all go on. */
export function rewind(store: InstanceStore, row: InstanceRow, reason: string, at: Date): InstanceRow[] {
  const { events } = store.history(row.int);
  const failedTasks = idsOf(events, EventType.taskFailed);
  const failedChildren = idsOf(events, EventType.childFailed);
  const revived: InstanceRow[] = [];
  const kept = events.filter((event) => {
    if (event.EventType === EventType.taskFailed || event.EventType === EventType.childFailed) return false;
    if (event.EventType === EventType.taskScheduled) return !failedTasks.has(event.EventId);
    if (event.EventType !== EventType.childCreated || !failedChildren.has(event.EventId)) return true;
    const child = failedChild(store, row, event);
    if (child) revived.push(...rewind(store, child, reason, at));
    return child !== undefined;
  });
  store.rewriteHistory(row.int, kept);
  store.setProgress(row.int, "Running", row.customStatus, at.getTime());
  // Only those at the bottom are woken: the others wait for their children.
  if (revived.length === 0) store.addToInbox(row.int, null, rewound(at, reason));
  return [{ ...row, status: "Running", output: null, updatedAt: at.getTime() }, ...revived];
}

function idsOf(events: readonly HistoryEvent[], type: number): Set<number> {
  return new Set(events.flatMap((event) => (event.EventType === type ? [endedTask(event) ?? -1] : [])));
}

/** Undefined where it never began, was purged or is another's by now: then it is created again. */
function failedChild(store: InstanceStore, parent: InstanceRow, created: HistoryEvent): InstanceRow | undefined {
  const child = store.find(created.InstanceId ?? "");
  if (child?.status !== "Failed" || child.parent === null) return undefined;
  const link = JSON.parse(child.parent) as ParentLink;
  return link.int === parent.int && link.taskId === created.EventId ? child : undefined;
}
