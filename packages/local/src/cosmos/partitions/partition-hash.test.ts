// Effective partition keys as the SDKs compute them; the values are what the JavaScript and .NET SDKs give for these keys.
import { expect, test } from "vitest";
import { effectiveKey } from "./partition-hash.ts";

test.each([
  ["redmond", "05C1EFE313830C087366656E706F6500", "22E342F38A486A088463DFF7838A5963"],
  ["", "05C1CF33970FF80800", "32E9366E637A71B4E710384B2F4970A0"],
  ["aa", "05C1C7B7270FE008626200", "05033626483AE80D00E44FBD35362B19"],
  [null, "05C1ED45D7475601", "378867E4430E67857ACE5C908374FE16"],
  [true, "05C1D7C5A903D803", "0E711127C5B5A8E4726AC6DD306A3E59"],
  [false, "05C1DB857D857C02", "2FE1BE91E90A3439635E0E9E37361EF2"],
  [{}, "05C1D529E345DC00", "11622DAA78F835834610ABE56EFF5CB5"],
  [5, "05C1D9C1C5517C05C014", "19C08621B135968252FB34B4CF66F811"],
  [5.5, "05C1D7A771716C05C016", "0E2EE47829D1AF775EEFB6540FD1D0ED"],
])("of %j in both versions", (value, first, second) => {
  expect(effectiveKey([value], "v1")).toBe(first);
  expect(effectiveKey([value], "v2")).toBe(second);
});

test("of a hierarchical key begin with those of its first values", () => {
  const whole = effectiveKey(["redmond", 5], "multi");
  expect(whole).toBe("22E342F38A486A088463DFF7838A596319C08621B135968252FB34B4CF66F811");
  expect(whole.startsWith(effectiveKey(["redmond"], "multi"))).toBe(true);
});
