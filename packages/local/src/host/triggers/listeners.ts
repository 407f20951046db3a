// The listener of each kind of trigger.
import type { Database } from "../../database/database.ts";
import type { AppBindings } from "../bindings/app-bindings.ts";
import { triggerKind } from "../bindings/bindings.ts";
import type { EngineName } from "../durable/engine-profile.ts";
import type { HostSettings } from "../host-json.ts";
import { timerStatuses } from "../schedule/timer-status.ts";
import type { Listener, ListenerContext } from "./listener.ts";
import { ListenerLock } from "./listener-lock.ts";
import { serviceBusListener } from "./service-bus.ts";
import { timerListener } from "./timer.ts";

interface ListenerParts {
  readonly bindings: AppBindings;
  readonly hostJson: HostSettings;
  /** Of the timers' schedules; UTC without it. */
  readonly timeZone: string | undefined;
  readonly engine: EngineName | undefined;
  /** Opens it, the first time. */
  readonly database: () => Database;
}

/** Undefined where the function is called in another way. */
export function listenerOf(context: ListenerContext, parts: ListenerParts): Listener | undefined {
  const { bindings, hostJson } = parts;
  switch (triggerKind(context.registered)) {
    case "timer":
      return listenerOfTimer(context, parts);
    case "serviceBus":
      return serviceBusListener(context, bindings.serviceBus, hostJson.serviceBus);
    default:
      return undefined;
  }
}

function listenerOfTimer(context: ListenerContext, { hostJson, timeZone, engine, database }: ListenerParts): Listener {
  const own = database();
  const isLocked = engine === "azure-storage";
  const lock = isLocked ? new ListenerLock(context.registered.name, own, hostJson.listenerLock) : undefined;
  return timerListener(context, timerStatuses(own), timeZone, lock);
}
