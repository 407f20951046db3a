// Warm-up triggers: run once when the process begins to serve, as in Azure on an instance that is added.
import { randomUUID } from "node:crypto";
import { describeFault } from "../invocation.ts";
import { hostLine, type Listener, type ListenerContext } from "./listener.ts";

export function warmupListener(context: ListenerContext): Listener {
  const { app, registered } = context;
  let run: Promise<void> = Promise.resolve();
  const runOnce = async () => {
    try {
      const inputs = { [registered.triggerName]: { json: "{}" } };
      await app.invoke(registered.name, { invocationId: randomUUID(), inputs });
    } catch (cause) {
      hostLine(context)("error", `failed: ${describeFault(cause)}`);
    }
  };
  return {
    functionName: registered.name,
    start() {
      run = runOnce();
    },
    async stop() {},
    ended: () => run,
    async handBack() {},
    runByHand: runOnce,
  };
}
