// The supervisor (P10, P12): at an interval, finds what nobody finished and has it recovered.
import { app } from "@azure/functions";
import { releaseLead, supervisor } from "@scheduler-agent-supervisor/core/functions";
import { application } from "../shared/app.ts";

app.timer("supervisor", { schedule: "%SupervisorSchedule%", handler: supervisor(application) });
app.hook.appTerminate(releaseLead(application));
