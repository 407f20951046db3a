// The app is checked when it starts: its settings, its workflows and their versions.
import { app } from "@azure/functions";
import { checkApp } from "@scheduler-agent-supervisor/core/functions";
import { application } from "../shared/app.ts";

app.hook.appStart(checkApp(application));
