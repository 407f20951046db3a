// The durable engine of a host: only one process of an app has it, and all others reach it at the app's address.
import type { LoadedApp } from "./app/app.ts";
import type { DurableEngine, RegisteredFunction } from "./contract.ts";
import { MAX_ACTIVITIES } from "./durable/engine-profile.ts";
import { SharedActivities } from "./flex/activities.ts";
import { DURABLE_GROUP } from "./flex/groups.ts";
import type { HostSettings } from "./host-json.ts";
import type { CreateEngine, HostOptions } from "./host-options.ts";
import type { Logger } from "./log.ts";

interface DurableParts {
  readonly app: LoadedApp;
  /** Those that are not switched off. */
  readonly functions: ReadonlyMap<string, RegisteredFunction>;
  readonly hubName: string;
  readonly options: HostOptions;
  readonly hostJson: HostSettings;
  readonly log: Logger;
  readonly createEngine: CreateEngine;
  readonly warn: (text: string) => void;
}

interface OpenDurable {
  readonly engine: DurableEngine | undefined;
  /** Of an app in several processes. */
  readonly sharedActivities: SharedActivities | undefined;
}

export function openDurable(parts: DurableParts): OpenDurable {
  const { app, functions, hostJson, createEngine } = parts;
  const { data, durability = "normal", durableReplay: replay = false, engine = "fast", role } = parts.options;
  if (role && !(role.group === DURABLE_GROUP && role.isFirst))
    return { engine: undefined, sharedActivities: undefined };
  if (engine === "azure-storage") for (const line of hostJson.refusedInAzure) parts.warn(line);
  const { maxActivities, maxTurns, durable, storage } = hostJson;
  const shared = role ? new SharedActivities(app, functions, maxActivities ?? MAX_ACTIVITIES[engine]) : undefined;
  const places = shared && role ? shared.placesEach * role.durableProcesses : maxActivities;
  const created = createEngine({
    app: {
      functions,
      invoke: (name, invocation) => (shared ?? app).invoke(name, invocation),
      close: () => app.close(),
    },
    data,
    hubName: parts.hubName,
    durability,
    replay,
    engine,
    storage,
    settings: durable,
    log: parts.log,
    ...(places !== undefined && { maxActivities: places }),
    ...(maxTurns !== undefined && { maxTurns }),
  });
  return { engine: created, sharedActivities: shared };
}
