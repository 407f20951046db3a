// What a command says where no stack runs: a refused connection alone tells nobody what to do.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { faultWithoutStack, removeStackFile, writeStackFile } from "./stack-file.ts";

const data = mkdtempSync(join(tmpdir(), "stack-file-"));
afterAll(() => rmSync(data, { recursive: true, force: true }));

const away = new Error("Can't listen on replies", { cause: new Error("connect ECONNREFUSED 127.0.0.1:5672") });

test("a refused connection without a stack: npm start; with one, and any other fault, as it is", () => {
  const said = `No stack runs in ${data}, and no Service Bus answers at the usual ports: npm start`;
  expect(faultWithoutStack(away, data, "Service Bus")).toMatchObject({ message: said, cause: away });
  const other = new Error("not allowed");
  expect(faultWithoutStack(other, data, "Service Bus")).toBe(other);
  writeStackFile(data, {});
  expect(faultWithoutStack(away, data, "Service Bus")).toBe(away);
  removeStackFile(data);
});
