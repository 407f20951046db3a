// Where a secret is looked for: in each form in which a service may repeat it, and in each part of an error.
import { describe, expect, test } from "vitest";
import { errorWithout, secretValuesOf, textWithout, valueWithout } from "./redactor.ts";

const SECRET = 'visa "1"/ä';

describe("P31 a secret in a text", () => {
  test.each([
    ["as it is", `said ${SECRET} again`],
    ["in JSON", JSON.stringify({ token: SECRET })],
    ["in an address", `https://pay.example/?token=${encodeURIComponent(SECRET)}`],
  ])("%s", (_, text) => {
    const shown = textWithout(text, [SECRET]);
    expect(shown).toContain("(hidden)");
    expect(shown).not.toMatch(/visa/);
  });

  test("the address for a report is hidden without being named", () => {
    const shown = textWithout("POST https://app.example/api/completions/eyJqb2JJZCI6IjEifQ answered 500", []);
    expect(shown).toBe("POST https://app.example/api/completions/(hidden) answered 500");
  });
});

test("P31 the values of a secret member are found however deep they are, numbers too", () => {
  const content = { card: { owner: { name: "Ada Lovelace" }, codes: [4711, "0815"] }, other: "shown" };
  expect(secretValuesOf(content, ["card"])).toEqual(["Ada Lovelace", "4711", "0815"]);
});

test("P31 the name of a member may be the secret", () => {
  expect(valueWithout({ list: [{ "tok_visa-1": 1 }] }, ["tok_visa-1"])).toEqual({ list: [{ "(hidden)": 1 }] });
});

test("P31 an error's stack and cause say no more than its text", () => {
  const cause = new Error("rejected tok_visa-1", { cause: new Error("sent tok_visa-1") });
  const shown = errorWithout(cause, ["tok_visa-1"]) as Error;
  expect(`${shown.message} ${shown.stack} ${(shown.cause as Error).message}`).not.toContain("tok_visa-1");
  expect(shown.message).toBe("rejected (hidden)");
  const clean = new Error("rejected");
  expect(errorWithout(clean, ["tok_visa-1"])).toBe(clean);
});
