// Stands for `src/index.js` of the Service Bus suite: the published SDK, whose clients are led to the local bus.
import * as sdk from "@azure/service-bus";

export * from "@azure/service-bus";

const namespace = process.env["SERVICEBUS_FQDN"] ?? "";
const suiteConnectionString = process.env["SERVICEBUS_CONNECTION_STRING"] ?? "";
const connectionString = process.env["LOCAL_CONNECTION_STRING"] ?? "";
const adminPort = process.env["SERVICEBUS_ADMIN_PORT"];
const [localEndpoint = ""] = connectionString.split(";");

/** Signs in with the local key where the suite does so with Entra. */
const isSignIn = (first: unknown) => first === namespace;
/** The suite's connection strings name a namespace of Azure's; the local bus has a port. */
const led = (given: string) =>
  given.includes(`sb://${namespace}`)
    ? `${given.replace(/Endpoint=[^;]+/, localEndpoint).replace(/;?$/, ";")}UseDevelopmentEmulator=true;`
    : given;

export class ServiceBusClient extends sdk.ServiceBusClient {
  constructor(first: string, second?: unknown, third?: sdk.ServiceBusClientOptions) {
    if (isSignIn(first)) super(connectionString, third);
    else super(typeof first === "string" ? led(first) : first, second as sdk.ServiceBusClientOptions);
  }
}

export class ServiceBusAdministrationClient extends sdk.ServiceBusAdministrationClient {
  constructor(first: string, second?: unknown, third?: object) {
    if (isSignIn(first)) super(suiteConnectionString, third);
    else super(first, second as object);
    this.pipeline.addPolicy({
      name: "plain-http",
      sendRequest: (request, next) => {
        const url = new URL(request.url);
        // The name of the namespace is what the client calls the server.
        request.headers.set("host", namespace);
        request.url = `http://127.0.0.1:${adminPort}${url.pathname}${url.search}`;
        request.allowInsecureConnection = true;
        return next(request);
      },
    });
  }
}
