// The supervisor (P10, P12): at an interval, the leader alone finds what nobody finished, and has it recovered.
import { app } from "@azure/functions";
import { releaseLead, supervisor } from "@scheduler-agent-supervisor/core/functions";
import { application } from "../shared/app.ts";

app.timer("supervisor", {
  schedule: "%SupervisorSchedule%",
  // Of each job that is overdue, the longest overdue first.
  handler: supervisor(application, async (overdue) => {
    // Below the failure threshold it is reset and tried again; at it, it waits, is compensated, or ends in Error.
    const verdict = await overdue.decide();
    // At the version that was read: of two supervisors one writes. Then scheduler, client and operators are told.
    if (await overdue.write(verdict)) await overdue.follow();
  }),
});
app.hook.appTerminate(releaseLead(application));
