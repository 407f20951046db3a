// The operators' pauses and the watches of agents in memory, with the app's own decisions over them.

import { createAgentPresence, createPauses } from "@scheduler-agent-supervisor/core/scheduling";
import type { PauseStore } from "@scheduler-agent-supervisor/core/store";

type Stored = Awaited<ReturnType<PauseStore["all"]>>[number];

/** As long as a watch is kept in Cosmos DB. */
const WATCH_LASTS_MS = 3_600_000;

/** @param over what stands before the store, as an outage of it */
export function createMemoryPauses(now: () => number, over = (store: PauseStore) => store) {
  const stored = new Map<string, Stored>();
  const idOf = ({ kind, name }: Pick<Stored, "kind" | "name">) => `${kind}:${name}`;
  const isKept = (one: Stored) => one.kind !== "watch" || Date.parse(one.at) + WATCH_LASTS_MS > now();
  const store = over({
    all: async () => [...stored.values()].filter(isKept),
    async add(pause) {
      if (stored.has(idOf(pause))) return false;
      stored.set(idOf(pause), pause);
      return true;
    },
    remove: async (paused) => stored.delete(idOf(paused)),
    watch: async (watch) => void stored.set(idOf(watch), watch),
    rested: async (rest) => void stored.set(`${idOf(rest)}:${rest.at}`, rest),
  });
  const pauses = createPauses(store, now);
  return { store, pauses, presence: createAgentPresence({ pauses, store, now }) };
}
