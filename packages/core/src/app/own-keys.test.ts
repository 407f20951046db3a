// The app's own keys leave by no log, whatever text they stand in.
import { afterEach, expect, test } from "vitest";
import { logTelemetry } from "../telemetry/events.ts";
import { hideKeys, outgoing, outgoingError } from "../telemetry/outgoing.ts";
import type { Config } from "./config.ts";
import { ownKeysOf } from "./connections.ts";

const BASIC = Buffer.from("user:password-of-a-service").toString("base64");
const KEYS = ["bus/key+1==", "cosmoskey2==", "storagekey3==", "secret-of-a-service", BASIC, "password-of-a-service"];
const config = {
  ServiceBus: `Endpoint=sb://bus.example/;SharedAccessKeyName=app;SharedAccessKey=${KEYS[0]};UseDevelopmentEmulator=true`,
  Cosmos: `AccountEndpoint=https://cosmos.example/;AccountKey=${KEYS[1]};`,
  AzureWebJobsStorage: `AccountName=store;AccountKey=${KEYS[2]};EndpointSuffix=core.windows.net`,
  endpoints: {
    payment: [
      { url: "https://pay.example/", capacity: 1, authentication: { kind: "header", header: "x", setting: "PayKey" } },
    ],
    shipping: undefined,
    fraud: [
      {
        url: "https://fraud.example/",
        capacity: 1,
        authentication: { kind: "header", header: "x", setting: "FraudKey" },
      },
    ],
  },
  settingOf: (name: string) => ({ PayKey: `Bearer ${KEYS[3]}`, FraudKey: `Basic  ${BASIC}` })[name],
} as unknown as Config;

afterEach(() => hideKeys([]));

test("those of connection strings and of services' headers are known", () => {
  expect(ownKeysOf(config)).toEqual(KEYS);
});

test.each(KEYS)("%s stands in no log, no error and no answer", (key) => {
  hideKeys(ownKeysOf(config));
  const lines: string[] = [];
  const say = (line: string) => void lines.push(line);
  for (const form of [key, encodeURIComponent(key)])
    logTelemetry({ info: say, warn: say, error: say }).event("MessagePostponed", {
      queue: "q",
      cause: `GET /?sig=${form} failed`,
    });
  const error = outgoingError(new Error(`no ${key}`, { cause: new Error(key) })) as Error;
  const said = [
    ...lines,
    String(error),
    error.stack,
    String(error.cause),
    JSON.stringify(outgoing({ a: [{ b: key }] })),
  ];
  expect(lines).toHaveLength(2);
  for (const text of said) {
    expect(text).not.toContain(key);
    expect(text).toContain("(hidden)");
  }
});

test("a nonce and an address for reports stand in no answer, whoever asks", () => {
  const shown = JSON.stringify(
    outgoing({
      ticket: { nonce: "n-1", step: "s" },
      text: "https://app.example/api/completions/eyJhIjoxfQ was called",
      steps: { s: { attempt: 1, nonce: "n-2" } },
    }),
  );
  expect(shown).not.toMatch(/n-1|n-2|eyJhIjoxfQ/);
});
