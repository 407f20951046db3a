// Names of functions: found in any case, listed as the app wrote them.
import { expect, test } from "vitest";
import { ByName } from "./by-name.ts";

test("a function is found in any case, and keeps its name", () => {
  const functions = new ByName<string>();
  functions.set("SendMail", "first");
  expect([functions.get("SENDMAIL"), functions.get("sendmail"), functions.has("sendMail")]).toEqual([
    "first",
    "first",
    true,
  ]);
  expect([...functions.keys()]).toEqual(["SendMail"]);
  expect([functions.get("SendMails"), functions.has("Send")]).toEqual([undefined, false]);
});
