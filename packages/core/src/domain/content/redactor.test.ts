// A secret is found where a service or an error repeats it as it is, as JSON writes it, or as an address does.
import { expect, test } from "vitest";
import { errorWithout, redactorFor, secretValuesOf, textWithout, valueWithout } from "./redactor.ts";

const TOKEN = "tok_Canary/9+f3a=Q7";
const NONCE = "0b4f7a52-5a9e-4d3f-8c1b-2f6f0f5f3a11";
const TICKET = Buffer.from(JSON.stringify({ jobId: "job-1", step: "pay", nonce: NONCE })).toString("base64url");

const FORMS: readonly (readonly [string, (text: string) => string])[] = [
  ["as it is", (text) => text],
  ["in JSON", (text) => JSON.stringify({ text })],
  ["in a path", (text) => `https://pay.example/tokens/${encodeURIComponent(text)}/charges?x=1`],
];

test.each(FORMS)("a secret %s is hidden", (_, write) => {
  for (const text of [write(TOKEN), `declined: ${write(TOKEN)} (code 7)`, `x=${write(TOKEN)}&y`]) {
    const shown = textWithout(text, [TOKEN]);
    expect(shown).toContain("(hidden)");
    expect(shown).not.toContain(TOKEN);
    // What was hidden once stays as it is.
    expect(textWithout(shown, [TOKEN])).toBe(shown);
    expect(JSON.stringify(valueWithout({ a: [{ [text]: text }] }, [TOKEN]))).not.toContain(
      JSON.stringify(text).slice(1, -1),
    );
  }
});

test.each([
  "declined (code 7)",
  "tok_other/9+f3a=Q7",
  "50% off \\ & &amp; %zz \\u12",
  Buffer.from("a charge that is none of the secret").toString("base64"),
  "",
])("%s has no secret, and is unchanged", (text) => {
  expect(textWithout(text, [TOKEN, "", "abc"])).toBe(text);
});

test("what stands around a secret is shown", () => {
  expect(textWithout(`declined: ${TOKEN} (code 7)`, [TOKEN])).toBe("declined: (hidden) (code 7)");
});

test.each(["4711", "Pin9", "größe-ß-straße", 'a"b\\c', "\ud800lone-surrogate"])(
  "a secret of another kind, %j",
  (secret) => {
    for (const text of [secret, `is ${secret}.`, JSON.stringify({ secret })]) {
      expect(textWithout(text, [secret])).not.toContain(secret);
    }
  },
);

test("a long number is hidden where it is the secret, and an amount is not", () => {
  const values = secretValuesOf({ card: { number: 4111111111111111, pin: 4711 } }, ["card"]);
  expect(valueWithout({ card: 4111111111111111, amount: 4711 }, values)).toEqual({ card: "(hidden)", amount: 4711 });
});

const SLASHES = ["/", "%2F", "%2f", "%252F", "\\/", "\\u002f", "&#x2f;", "//"];

test.each(SLASHES)("an address for reports, with %s, is hidden whatever the secrets are", (slash) => {
  for (const path of ["api/completions/", "API/Completions/"]) {
    const shown = textWithout(`POST ${`https://app.example/${path}`.replaceAll("/", slash)}${TICKET} failed`, []);
    expect(shown).not.toContain(TICKET);
    expect(shown).toMatch(/\(hidden\) failed$/);
  }
});

test.each([
  TICKET,
  `ticket=${TICKET}`,
  JSON.stringify({ ticket: { nonce: NONCE } }),
  JSON.stringify(JSON.stringify({ nonce: NONCE })),
  `{ nonce: '${NONCE}' }`,
])("nor does %s leave what opens a step's completion", (text) => {
  const shown = textWithout(text, []);
  expect(shown).toContain("(hidden)");
  expect(shown).not.toContain(NONCE);
  expect(shown).not.toContain(TICKET.slice(-30));
});

class ServiceError extends Error {
  override readonly name = "ServiceError";
  readonly request: unknown;
  constructor(message: string, request: unknown, options?: ErrorOptions) {
    super(message, options);
    this.request = request;
  }
}

const circular = new Error("outer");
circular.cause = circular;

test.each<readonly [string, unknown]>([
  ["its text", new Error(`no ${TOKEN}`)],
  ["its stack", Object.assign(new Error("no"), { stack: `Error: no\n    at ${TOKEN}` })],
  ["its name", Object.assign(new Error("no"), { name: TOKEN })],
  ["its cause", new Error("no", { cause: new Error("inner", { cause: new Error(TOKEN) }) })],
  ["a cause that is a text", new Error("no", { cause: TOKEN })],
  ["a cause that is an object", new Error("no", { cause: { body: { token: TOKEN } } })],
  ["a member", new ServiceError("no", { headers: { authorization: TOKEN } })],
  ["a member's error", new ServiceError("no", new Error("inner", { cause: new Error(TOKEN) }))],
  ["one of several errors", new AggregateError([new Error("one"), new Error(TOKEN)], "several")],
  ["a thrown text", TOKEN],
  ["a thrown object", { message: TOKEN }],
])("an error has no secret in %s", (_, cause) => {
  const shown = errorWithout(cause, [TOKEN]);
  expect(shown).toBeInstanceOf(Error);
  const seen: string[] = [];
  for (let one: unknown = shown; one instanceof Error; one = one.cause) {
    seen.push(String(one), one.stack ?? "", JSON.stringify(one), JSON.stringify(one.cause) ?? "");
  }
  expect(seen.join("\n")).not.toContain(TOKEN);
});

test.each<readonly [string, unknown]>([
  ["an error", new Error("no")],
  ["its own cause", circular],
  ["nothing that can be read", Object.create(null)],
  ["undefined", undefined],
])("what is thrown without a secret is thrown on: %s", (_, cause) => {
  const shown = errorWithout(cause, [TOKEN]);
  if (cause !== circular) expect(shown).toBe(cause);
});

test("an error whose message is no text is thrown on as one that can be read, with its words", () => {
  const odd = Object.assign(new Error("no"), { message: 7 });
  expect(String(errorWithout(odd, [TOKEN]))).toMatch(/^Error: .*7$/);
});

test.each([256, 257, 250_000])("a secret of %d characters is removed", (length) => {
  const secret = 'Very-"Secret"/9 '.repeat(length / 14 + 1).slice(0, length);
  const redactor = redactorFor([secret]);
  for (const written of [secret, JSON.stringify(secret), encodeURIComponent(secret)])
    expect(redactor.text(`before ${written} after`)).not.toMatch(/Secret/);
  expect(redactor.text("something else")).toBe("something else");
});

test("of two secrets of which one is a part of the other, the whole is removed", () => {
  expect(textWithout("is tok_visa-1.", ["tok_visa", "tok_visa-1"])).toBe("is (hidden).");
});

test("of a text that would take too long nothing is shown", () => {
  const many = Array.from({ length: 1000 }, (_, at) => `secret-${at}`);
  expect(textWithout("a".repeat(60_000), many)).toBe("(hidden)");
  expect(textWithout("a".repeat(40_000), many)).toHaveLength(40_000);
});

test("the values of a secret member are found however deep they are, numbers too", () => {
  const content = { card: { owner: { name: "Ada Lovelace" }, codes: [4711, "0815"] }, other: "shown" };
  expect(secretValuesOf(content, ["card"])).toEqual(["Ada Lovelace", "4711", "0815"]);
});

test("the name of a member may be the secret", () => {
  expect(valueWithout({ list: [{ "tok_visa-1": 1 }] }, ["tok_visa-1"])).toEqual({ list: [{ "(hidden)": 1 }] });
});
