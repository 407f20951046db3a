// The app: this business, on the settings of this process.
import { createApp } from "@scheduler-agent-supervisor/core/create-app";
import { business } from "./business.ts";

export const application = createApp(business, process.env);
