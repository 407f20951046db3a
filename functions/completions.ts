// Reports of steps that are done later (P6, P7): whoever was asked to do one says what came of it, by the address that it was given.
import { app } from "@azure/functions";
import { COMPLETIONS_ROUTE, completeStep } from "@scheduler-agent-supervisor/core/functions";
import * as df from "durable-functions";
import { application } from "../shared/app.ts";

app.http("completeStep", {
  methods: ["POST"],
  authLevel: "anonymous",
  route: COMPLETIONS_ROUTE,
  extraInputs: [df.input.durableClient()],
  handler: completeStep(application),
});
