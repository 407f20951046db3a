// The operators' pauses and the watches of agents in memory, with the app's own decisions over them.

import { createAgentPresence } from "../src/scheduler/admission/agent-presence.ts";
import { createPauses } from "../src/scheduler/admission/pauses.ts";
import type { PauseStore } from "../src/store/pause-store.ts";

type Stored = Awaited<ReturnType<PauseStore["all"]>>[number];

export function createMemoryPauses(now: () => number) {
  const stored = new Map<string, Stored>();
  const idOf = ({ kind, name }: Pick<Stored, "kind" | "name">) => `${kind}:${name}`;
  const store: PauseStore = {
    all: async () => [...stored.values()],
    async add(pause) {
      if (stored.has(idOf(pause))) return false;
      stored.set(idOf(pause), pause);
      return true;
    },
    remove: async (paused) => stored.delete(idOf(paused)),
    watch: async (watch) => void stored.set(idOf(watch), watch),
    rested: async (rest) => void stored.set(`${idOf(rest)}:${rest.at}`, rest),
  };
  const pauses = createPauses(store, now);
  return { store, pauses, presence: createAgentPresence({ pauses, store, now }) };
}
