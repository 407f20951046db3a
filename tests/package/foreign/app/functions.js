// A Functions app of somebody else's: a queue's message starts an orchestration, whose activity writes a document.
import { app, output } from "@azure/functions";
import * as df from "durable-functions";

const greetings = output.cosmosDB({ connection: "Cosmos", databaseName: "people", containerName: "greetings" });

df.app.activity("greet", {
  extraOutputs: [greetings],
  handler: (/** @type {string} */ name, context) => {
    context.extraOutputs.set(greetings, { id: name, text: `Hello ${name}` });
  },
});

df.app.orchestration("greetOne", function* (context) {
  yield context.df.callActivity("greet", context.df.getInput());
});

app.serviceBusQueue("names", {
  connection: "Bus",
  queueName: "names",
  extraInputs: [df.input.durableClient()],
  handler: async (/** @type {{ name: string }} */ message, context) => {
    await df.getClient(context).startNew("greetOne", { input: message.name });
  },
});
