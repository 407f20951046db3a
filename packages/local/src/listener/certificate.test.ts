import { X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { credentialsIn } from "./certificate.ts";

const folder = mkdtempSync(join(tmpdir(), "certificate-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("the certificate is its own authority, for this machine", () => {
  const certificate = new X509Certificate(credentialsIn(join(folder, "one"), Date.now()).cert);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.checkIssued(certificate)).toBe(true);
  expect(certificate.ca).toBe(true);
  expect(certificate.checkHost("localhost")).toBe("localhost");
  expect(certificate.checkIP("127.0.0.1")).toBe("127.0.0.1");
  expect(certificate.checkIP("::1")).toBe("::1");
  expect(certificate.checkHost("example.com")).toBeUndefined();
});

test("the certificate is kept, and made anew before it ends", () => {
  const place = join(folder, "another");
  const now = Date.now();
  const first = credentialsIn(place, now);
  expect(credentialsIn(place, now).cert).toBe(first.cert);
  const later = credentialsIn(place, now + 710 * 86_400_000);
  expect(later.cert).not.toBe(first.cert);
});
