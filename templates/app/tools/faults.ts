// `npm run faults`: runs the workflows on the local stack, kills the host at the awaits of their jobs, has the services fail, and checks what
// becomes of each.
import { describeLife, describeRun, runFaults } from "@scheduler-agent-supervisor/testing/faults";
import { business } from "../shared/business.ts";
import { build } from "./build.ts";
import { numberOf, readArguments, runCommand } from "./every-app/arguments.ts";
import { REPLY_QUEUE } from "./every-app/reply-queues.ts";
import { QUEUES_FILE, sampleJob, settingsFor, startApp } from "./stack.ts";

const USAGE = `npm run faults [-- OPTIONS]
  --each    kills the host at each await, not only at one of each kind of write or message
  --most N  kills it at no more than N awaits of each workflow`;

await runCommand(async () => {
  const { values } = readArguments({ each: { type: "boolean" }, most: { type: "string" } }, USAGE);
  const most = numberOf(values, "most", 1, 10_000);
  console.log("Compiling");
  build();
  const run = await runFaults({
    business,
    // One for each workflow that is to be run.
    content: { [business.contracts.usualWorkflow]: sampleJob },
    start: (options) => startApp({ ...options, ports: "free" }),
    settingsFor: ({ addresses }) => settingsFor(addresses),
    queuesFile: QUEUES_FILE,
    replyQueue: REPLY_QUEUE,
    ...(values["each"] && { points: "each" as const }),
    ...(most !== undefined && { most }),
    onLife: (life) => console.log(describeLife(life)),
  });
  console.log(`\n${describeRun(run)}`);
  return run.passed ? 0 : 1;
});
