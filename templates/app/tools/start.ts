// `npm start`: compiles the app, brings it up on this machine, sends the first sample, and stays until Ctrl-C.
import { once } from "node:events";
import { join } from "node:path";
import { withFreeOption } from "@scheduler-agent-supervisor/local";
import { build, ROOT } from "./build.ts";
import { readArguments, runCommand, stopSignal, unlessStopped } from "./every-app/arguments.ts";
import { removeStackFile, writeStackFile } from "./every-app/stack-file.ts";
import { openClient, sampleJob, settingsFor, startApp } from "./stack.ts";

const USAGE = `npm start [-- OPTIONS]
  --exit        stops when the sample has ended; exit code 0 only if it completed
  --free-ports  takes ports that are free, where another app has the usual ones`;

await runCommand(async () => {
  const flag = { type: "boolean" } as const;
  const { values } = readArguments({ exit: flag, "free-ports": flag }, USAGE);
  console.log("Compiling");
  build();
  const stopped = stopSignal();
  const stop = new AbortController();
  stopped.addEventListener("abort", () => stop.abort());
  const data = join(ROOT, ".local");
  const starting = startApp({
    data,
    ports: values["free-ports"] ? "free" : "usual",
    onProgress: (part, ms) => console.log(`  ${part.padEnd(8)} ready after ${(ms / 1000).toFixed(1)} s`),
    onExit: (name) => {
      console.error(`The ${name} process ended: see ${join(data, "logs", `${name}.log`)}`);
      stop.abort();
    },
  });
  const started = starting.catch((cause: unknown) => {
    if (!(cause instanceof Error)) throw cause;
    throw new Error(withFreeOption(cause.message, "npm start -- --free-ports"), { cause });
  });
  const stack = await unlessStopped(started, "the app", stopped);
  try {
    const { host, bus, cosmos, remotes } = stack.addresses;
    // By it `npm run orders`, `npm run send` and `npm run services:fault` find this stack.
    writeStackFile(data, settingsFor(stack.addresses), { app: host?.url, services: remotes });
    console.log(`\nApp          ${host?.url}\nConsole      ${host?.url}/console/`);
    console.log(`Service Bus  ${bus?.connectionString}\nCosmos DB    ${cosmos?.connectionString}\n`);
    const client = openClient(stack);
    const id = `sample-${Date.now().toString(36)}`;
    console.log(`Sending ${id}:`);
    const onStatus = ({ status }: { readonly status: string }) => console.log(`  ${status}`);
    const end = await client
      .submit(sampleJob(id), { onStatus, timeoutMs: 60_000, signal: stop.signal })
      .finally(() => client[Symbol.asyncDispose]());
    console.log(`It is ${end.kind}.`);
    if (values["exit"]) return end.kind === "completed" ? 0 : 1;
    console.log("\nThe app stays up. Stop: Ctrl-C");
    if (!stop.signal.aborted) await once(stop.signal, "abort");
    return 0;
  } finally {
    removeStackFile(data);
    await stack.stop();
  }
});
