// `npm run faults`: runs the workflows on the local stack, kills the host at the awaits of their jobs, has the services fail, and checks what
// becomes of each. `-- --each` kills at each await, `-- --most N` at N of them.

import { parseArgs } from "node:util";
import { describeLife, describeRun, runFaults } from "@scheduler-agent-supervisor/testing/faults";
import { business } from "../shared/business.ts";
import { build } from "./build.ts";
import { QUEUES_FILE, sampleJob, settingsFor, startApp } from "./stack.ts";

const { values } = parseArgs({ options: { each: { type: "boolean" }, most: { type: "string" } } });

console.log("Compiling");
build();
const run = await runFaults({
  business,
  // One for each workflow that is to be run.
  content: { [business.contracts.usualWorkflow]: sampleJob },
  start: (options) => startApp({ ...options, ports: "free" }),
  settingsFor: ({ addresses }) => settingsFor(addresses),
  queuesFile: QUEUES_FILE,
  replyQueue: "replies-shop",
  ...(values.each && { points: "each" as const }),
  ...(values.most !== undefined && { most: Number(values.most) }),
  onLife: (life) => console.log(describeLife(life)),
});
console.log(`\n${describeRun(run)}`);
process.exitCode = run.passed ? 0 : 1;
