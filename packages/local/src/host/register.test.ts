// What is under way, by a key.
import { expect, test } from "vitest";
import { Register } from "./register.ts";

test("values stand in the order of their keys' insertion, and a new value of a key takes the place of the old one", () => {
  const register = new Register<number, { readonly name: string }>();
  for (const [key, name] of [
    [3, "a"],
    [1, "b"],
    [3, "c"],
  ] as const)
    register.set(key, { name });
  expect([...register.values()].map(({ name }) => name)).toEqual(["c", "b"]);
  expect(register.get(1)).toEqual({ name: "b" });
  expect([register.delete(1), register.delete(1), register.size]).toEqual([true, false, 1]);
  expect(register.get(1)).toBeUndefined();
});

test("a walk meets what joins meanwhile, and not what has left", () => {
  const register = new Register<string, { readonly name: string }>();
  for (const name of ["a", "b", "c"]) register.set(name, { name });
  const met: string[] = [];
  for (const { name } of register.values()) {
    met.push(name);
    register.delete("b");
    if (name === "a") register.set("d", { name: "d" });
  }
  expect(met).toEqual(["a", "c", "d"]);
});
