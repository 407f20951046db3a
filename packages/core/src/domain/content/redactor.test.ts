// A secret is found however it is written: what a service, an error or a reader's message makes of it.
import { expect, test } from "vitest";
import { errorWithout, redactorFor, secretValuesOf, textWithout, valueWithout } from "./redactor.ts";

const TOKEN = "tok_Canary/9+f3a=Q7";
const NONCE = "0b4f7a52-5a9e-4d3f-8c1b-2f6f0f5f3a11";
const TICKET = Buffer.from(JSON.stringify({ jobId: "job-1", step: "pay", nonce: NONCE })).toString("base64url");
const everyUnit = (write: (code: number) => string) => (text: string) =>
  [...text].map((one) => write(one.charCodeAt(0))).join("");
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0");

const FORMS: readonly (readonly [string, (text: string) => string])[] = [
  ["as it is", (text) => text],
  ["in capitals", (text) => text.toUpperCase()],
  ["in small letters", (text) => text.toLowerCase()],
  ["percent-encoded", encodeURIComponent],
  ["percent-encoded in small letters", (text) => encodeURIComponent(text).toLowerCase()],
  ["percent-encoded whole", everyUnit((code) => `%${hex(code, 2)}`)],
  ["percent-encoded twice", (text) => encodeURIComponent(everyUnit((code) => `%${hex(code, 2)}`)(text))],
  ["in a form", (text) => new URLSearchParams({ card: text }).toString()],
  ["in a path", (text) => `https://pay.example/tokens/${encodeURIComponent(text)}/charges?x=1`],
  ["in JSON", (text) => JSON.stringify({ text })],
  ["in JSON, each character escaped", everyUnit((code) => `\\u${hex(code, 4)}`)],
  [
    "in JSON within JSON",
    (text) => JSON.stringify(JSON.stringify({ text: `"${everyUnit((code) => `\\u${hex(code, 4)}`)(text)}"` })),
  ],
  ["with escaped slashes", (text) => text.replaceAll("/", "\\/")],
  ["in HTML", everyUnit((code) => `&#${code};`)],
  ["in HTML, hexadecimal", everyUnit((code) => `&#x${hex(code, 2)};`)],
  ["in base64", (text) => Buffer.from(text).toString("base64")],
  ["in base64url", (text) => Buffer.from(text).toString("base64url")],
  ["in base64, after one byte", (text) => Buffer.from(`:${text}`).toString("base64")],
  ["in base64, after two bytes and before more", (text) => Buffer.from(`u:${text}, and more`).toString("base64")],
  ["in base64, after one byte, cut at its begin", (text) => Buffer.from(`:${text}`).toString("base64").slice(2)],
  ["in base64, in capitals", (text) => Buffer.from(text.toUpperCase()).toString("base64")],
  [
    "in base64, broken into lines",
    (text) =>
      Buffer.from(text)
        .toString("base64")
        .replace(/(.{7})/g, "$1\r\n"),
  ],
  ["in hexadecimal", (text) => Buffer.from(text).toString("hex")],
  ["in hexadecimal, in pairs", (text) => Buffer.from(text).toString("hex").replace(/(..)/g, "$1 ")],
  ["broken by white space", (text) => text.replace(/(.{5})/g, "$1\n  ")],
  ["broken by escaped white space", (text) => text.replace(/(.{5})/g, "$1\\n")],
  ["broken by characters that have no width", (text) => text.replace(/(.{3})/g, "$1\u200b")],
  ["in groups", (text) => text.replace(/(.{4})/g, "$1-")],
  ["in full-width letters", everyUnit((code) => String.fromCharCode(code + 0xfee0))],
];

/** What of a text could still be the secret. */
const plain = (text: string) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^a-z\d]/g, "");

test.each(FORMS)("a secret %s is hidden", (_, write) => {
  for (const text of [write(TOKEN), `declined: ${write(TOKEN)} (code 7)`, `x=${write(TOKEN)}&y`]) {
    const shown = textWithout(text, [TOKEN]);
    expect(shown).toContain("(hidden)");
    expect(plain(shown)).not.toContain(plain(write(TOKEN)));
    // What was hidden once stays as it is.
    expect(textWithout(shown, [TOKEN])).toBe(shown);
    expect(JSON.stringify(valueWithout({ a: [{ [text]: text }] }, [TOKEN]))).not.toContain(
      JSON.stringify(text).slice(1, -1),
    );
  }
});

test("a secret that is escaped four times is hidden, in a text and in a value", () => {
  const once = [...TOKEN].map((one) => `\\u${hex(one.charCodeAt(0), 4)}`).join("");
  const text = [1, 2, 3].reduce((sofar) => JSON.stringify(sofar), once);
  expect(textWithout(text, [TOKEN])).toBe("(hidden)");
  expect(valueWithout({ a: [text] }, [TOKEN])).toEqual({ a: ["(hidden)"] });
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
  expect(textWithout(`declined: ${TOKEN.toUpperCase()} (code 7)`, [TOKEN])).toBe("declined: (hidden) (code 7)");
  expect(textWithout(`declined: ${encodeURIComponent(TOKEN)} (code 7)`, [TOKEN])).toMatch(
    /^declined: \(hidden\)\S* \(code 7\)$/,
  );
});

test.each(["4711", "Pin9", "größe-ß-straße", 'a"b\\c', "\ud800lone-surrogate"])(
  "a secret of another kind, %j",
  (secret) => {
    for (const text of [secret, `is ${secret}.`, JSON.stringify({ secret }), secret.toUpperCase().toLowerCase()]) {
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
  Buffer.from(`https://app.example/api/completions/${TICKET}`).toString("base64"),
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

test("a secret whose base64 has + and / is found in base64url", () => {
  const encoded = Buffer.from(">>>???>>>???").toString("base64url");
  expect(redactorFor([">>>???>>>???"]).text(`is ${encoded}`)).not.toContain(encoded);
});

test("an error whose message is no text is thrown on as one that can be read, with its words", () => {
  const odd = Object.assign(new Error("no"), { message: 7 });
  expect(String(errorWithout(odd, [TOKEN]))).toMatch(/^Error: .*7$/);
});

test.each([1000, 1001, 50_000, 250_000])("a secret of %d characters is removed, in another case too", (length) => {
  const secret = "Very-Secret/9 ".repeat(length / 14 + 1).slice(0, length);
  const redactor = redactorFor([secret]);
  for (const written of [secret, secret.toUpperCase(), JSON.stringify(secret), encodeURIComponent(secret)])
    expect(redactor.text(`before ${written} after`)).not.toMatch(/secret/i);
  expect(redactor.text("something else")).toBe("something else");
});

test("a text of 64 KB is read in time that grows with its length, whatever is in it", () => {
  const redactor = redactorFor([TOKEN, NONCE]);
  for (const part of ["a", "%", "\\", "\\u0041", "&#x41;", "%41", "api/completions/", "nonce", "tok_Canary/9+f3a=Q"]) {
    // Of a busy machine; a search that goes back to each earlier place takes minutes.
    const begun = performance.now();
    redactor.text(part.repeat(65_536 / part.length));
    expect(performance.now() - begun, part).toBeLessThan(10_000);
  }
});
