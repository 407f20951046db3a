// Stands for `src/index.js` of the Service Bus suite: the published SDK, whose clients are led to the local bus.
import * as sdk from "@azure/service-bus";

export * from "@azure/service-bus";

const connectionString = process.env["SERVICEBUS_CONNECTION_STRING"] ?? "";
const adminPort = process.env["SERVICEBUS_ADMIN_PORT"];

/** The suite signs in with Entra to a namespace's name; the local bus has one key and a port. */
const isOurs = (first: unknown) => first === process.env["SERVICEBUS_FQDN"];

export class ServiceBusClient extends sdk.ServiceBusClient {
  constructor(first: string, second?: unknown, third?: sdk.ServiceBusClientOptions) {
    if (isOurs(first)) super(connectionString, third);
    else super(first, second as sdk.ServiceBusClientOptions);
  }
}

export class ServiceBusAdministrationClient extends sdk.ServiceBusAdministrationClient {
  constructor(first: string, second?: unknown, third?: object) {
    if (isOurs(first)) super(connectionString, third);
    else super(first, second as object);
    this.pipeline.addPolicy({
      name: "plain-http",
      sendRequest: (request, next) => {
        const url = new URL(request.url);
        request.url = `http://127.0.0.1:${adminPort}${url.pathname}${url.search}`;
        request.allowInsecureConnection = true;
        return next(request);
      },
    });
  }
}
