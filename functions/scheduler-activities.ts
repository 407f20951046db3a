// The scheduler's own activities: what it has to ask or to say itself.
import { findProgress, pollStep, publishEnd } from "@scheduler-agent-supervisor/core/functions";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

const extraInputs = [df.input.durableClient()];

df.app.activity("publishEnd", { handler: publishEnd(application) });
df.app.activity("findProgress", { extraInputs, handler: findProgress(application) });
df.app.activity("pollStep", { extraInputs, handler: pollStep(application) });
