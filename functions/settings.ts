// The settings are checked when the app starts: one that is at fault keeps it from starting, and so from taking any message.
import { app } from "@azure/functions";
import { checkSettings } from "../shared/compose.ts";

app.hook.appStart(() => checkSettings());
