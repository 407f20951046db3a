// Why tests of a suite do not pass that the stack does not refuse either, as far as it is known.
import type { SuiteName } from "./page.ts";

interface Known {
  readonly suite: SuiteName;
  /** Of the file and the full name. */
  readonly tests: RegExp;
  readonly reason: string;
}

const INSIDE = "the test looks inside of the client of its own version (4.3), which is another in the published one";
/** The first that fits. */
export const KNOWN: readonly Known[] = [
  { suite: "cosmos-js", tests: /EndpointComponent\.spec/, reason: INSIDE },
  {
    suite: "cosmos-js",
    tests: /with bad AAD authentication/,
    reason: "the client sends an Entra token over TLS alone, and the server speaks plain HTTP",
  },
  {
    suite: "cosmos-js",
    tests: /Client Test With AAD Credentials/,
    reason:
      "the test makes up the answers itself, without the ids that the published client reads; the server gets no request",
  },
  {
    suite: "cosmos-js",
    tests: /itemIdEncoding.*RGW_/,
    reason:
      "it wants ids refused that the older of Azure's two gateways cannot pass on; its twin for the other one passes",
  },
  {
    suite: "cosmos-js",
    tests: /composite Index defined/,
    reason: "the test asks for its documents before it has sent them: it does not wait for its own writes",
  },
  {
    suite: "cosmos-js",
    tests: /full text search queries/,
    reason: "it wants Azure's own order of scores, over stems of words, and ranks by vectors too",
  },
  {
    suite: "cosmos-js",
    tests: /VectorEmbeddingPolicy should fail/,
    reason: "vector search is refused, with another text than the suite looks for",
  },
  {
    suite: "cosmos-dotnet",
    tests: /feed range of one partition key/,
    reason: "the client fails before it sends a request",
  },
  {
    suite: "service-bus-js",
    tests: /session id of empty string/,
    reason: "the published client takes an empty id for none; the suite is of a later one",
  },
  {
    suite: "service-bus-js",
    tests: /Abort (?:cancel|schedule)/,
    reason: "the suite gives up after 1 ms; the answer was there before",
  },
  {
    suite: "service-bus-js",
    tests: /Authentication|DefaultAzureCredential/,
    reason: "it compares the namespace's name in Azure",
  },
];
