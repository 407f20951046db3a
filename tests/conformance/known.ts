// Why tests of a suite do not pass that the stack does not refuse either, as far as it is known.
import type { SuiteName } from "./page.ts";

interface Known {
  readonly suite: SuiteName;
  /** Of the file and the full name. */
  readonly tests: RegExp;
  readonly reason: string;
}

/** The first that fits. */
export const KNOWN: readonly Known[] = [
  {
    suite: "cosmos-js",
    tests: /itemIdEncoding.*[RC]GW_/,
    reason:
      "Azure's two gateways pass on different ids, and this server is as one of them; the test's twin for that one passes",
  },
  {
    suite: "cosmos-js",
    tests: /composite Index defined/,
    reason: "the test asks for its documents before it has sent them: it does not wait for its own writes",
  },
  {
    suite: "cosmos-js",
    tests: /VectorEmbeddingPolicy should fail/,
    reason: "vector search is refused, with another text than the suite looks for",
  },
  {
    suite: "cosmos-js",
    tests: /Bad partition key definition/,
    reason: "the definition is rejected with 400, in other words than the suite looks for",
  },
  {
    suite: "cosmos-dotnet",
    tests: /feed range of one partition key/,
    reason:
      "the client fails before it sends the query: of the hash of the key it makes a range that has nothing in it",
  },
  {
    suite: "service-bus-js",
    tests: /Abort (?:cancel|schedule)/,
    reason: "the suite gives up after 1 ms; the answer was there before",
  },
  {
    suite: "service-bus-js",
    tests: /Undefined queue options|DefaultAzureCredential/,
    reason: "a test before it left its queue there, when its topic was refused",
  },
  {
    suite: "service-bus-js-internal",
    tests: /Abort (?:receiveDeferredMessages|Signal)/,
    reason: "the suite gives up after 1 ms; the answer was there before",
  },
  {
    suite: "service-bus-js-internal",
    tests: /racing/,
    reason: "the suite's plug-in for traces is in the SDK's own repository alone",
  },
  {
    suite: "service-bus-js-internal",
    tests: /Random scheme in the endpoint/,
    reason: "it looks the namespace up by its name in Azure",
  },
  {
    suite: "service-bus-js-internal",
    tests: /actionAfterTimeout/,
    reason: "it wants the client's link not to be open yet when its time is over, and here it is",
  },
  {
    suite: "service-bus-js-internal",
    tests: /connectionManagement/,
    reason: "all of the file is one comment",
  },
  {
    suite: "service-bus-js-internal",
    tests: /Retries - Receive methods .*Sessions/,
    reason:
      "it replaces a method of a class inside of the SDK, and the published package does not call that one; why is not known",
  },
  {
    suite: "service-bus-js-internal",
    tests: /from a non existing topic/,
    reason: "it wants a topic that is not found; here the link is refused as not implemented, for there are no topics",
  },
  {
    suite: "service-bus-js-internal",
    tests: /(?:invalid|undefined) tokenCredentials/,
    reason: "it wants a sign-in rejected that this runner puts aside",
  },
];
