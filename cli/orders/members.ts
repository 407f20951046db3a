// Members of JSON as they are typed, without JSON: `name=text`, or `name:=VALUE` for a number, true, false or null.
import { UsageError } from "../every-app/arguments.ts";

interface Member {
  readonly name: string;
  readonly value: unknown;
}

export function membersOf(given: readonly string[], option: string): Record<string, unknown> {
  return Object.fromEntries(given.map((one) => memberOf(one, option)).map(({ name, value }) => [name, value]));
}

/** A merge patch: a name such as `shipTo.city` is a member of a member. */
export function patchOf(given: readonly string[], option: string): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const { name, value } of given.map((one) => memberOf(one, option))) {
    const path = name.split(".");
    const last = path.pop() ?? "";
    let inner = patch;
    for (const part of path) inner = inside(inner, part);
    define(inner, last, value);
  }
  return patch;
}

function memberOf(given: string, option: string): Member {
  const [, name, isValue, text] = /^([^=:]+)(:?)=(.*)$/s.exec(given) ?? [];
  if (name === undefined || text === undefined)
    throw new UsageError(`--${option} ${given}: must be name=text or name:=VALUE`);
  return { name, value: isValue ? jsonOf(text, `--${option} ${given}`) : text };
}

function inside(members: Record<string, unknown>, name: string): Record<string, unknown> {
  const known = Object.hasOwn(members, name) ? members[name] : undefined;
  if (known !== null && typeof known === "object") return known as Record<string, unknown>;
  const made = {};
  define(members, name, made);
  return made;
}

/** Also a member that is called `__proto__`. */
function define(members: object, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}

function jsonOf(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`${what}: the value must be a number, true, false, null or a text in quotes`, { cause });
  }
}
