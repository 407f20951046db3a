// The scheduler (P4, P5, P8, P14): starts a job's next attempt (P10), runs it, and asks and says what it has to itself.
import { app } from "@azure/functions";
import { QUEUES } from "@scheduler-agent-supervisor/core/app";
import {
  findProgress,
  fromQueue,
  onStartAttempt,
  pollStep,
  publishEnd,
} from "@scheduler-agent-supervisor/core/functions";
import { scheduler } from "@scheduler-agent-supervisor/core/scheduling";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

const extraInputs = [df.input.durableClient()];

// The supervisor or an operator asks here for the next attempt; the first one is the front door's.
app.serviceBusQueue("startAttempt", {
  ...fromQueue(QUEUES.scheduler),
  extraInputs,
  handler: onStartAttempt(application, async (next) => {
    const claim = await next.claim();
    if (claim.kind === "claimed") await next.start(claim);
  }),
});

// One attempt: which steps can begin, ask their agents, wait for what ends first, until all are done or one can't be.
df.app.orchestration("scheduler", scheduler);

df.app.activity("findProgress", { extraInputs, handler: findProgress(application) });
df.app.activity("pollStep", { extraInputs, handler: pollStep(application) });
df.app.activity("publishEnd", { handler: publishEnd(application) });
