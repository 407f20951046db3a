// Serves the operators' console: static files without any data, which the API answers only to who may have it.
import { app } from "@azure/functions";
import { serveConsole } from "@scheduler-agent-supervisor/operator/functions";

app.http("console", {
  methods: ["GET"],
  // Where people sign in, built-in authentication stands in front of this too.
  authLevel: "anonymous",
  route: "console/{*path}",
  handler: serveConsole,
});
