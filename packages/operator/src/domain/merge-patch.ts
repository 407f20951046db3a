// One edit for many bodies, as a JSON merge patch (RFC 7396): the members that differ in one body, and nothing else of it.

import { HIDDEN } from "@scheduler-agent-supervisor/core/domain";

type Members = { readonly [name: string]: unknown };

const isObject = (value: unknown): value is Members =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** @see RFC 7396, section 2: null removes a member, and a list is replaced as a whole */
export function applyPatch(body: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members: { [name: string]: unknown } = isObject(body) ? { ...body } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete members[name];
    else define(members, name, applyPatch(own(members, name), value));
  }
  return members;
}

/** The patch that makes `after` of `before`; undefined if they are the same. */
export function patchBetween(before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after))
    return JSON.stringify(before) === JSON.stringify(after) ? undefined : after;
  const patch: { [name: string]: unknown } = {};
  for (const name of Object.keys(before)) if (!Object.hasOwn(after, name)) define(patch, name, null);
  for (const [name, value] of Object.entries(after)) {
    const changed = Object.hasOwn(before, name) ? patchBetween(own(before, name), value) : value;
    if (changed !== undefined) define(patch, name, changed);
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** What an operator asks for who made `after` of what was shown: the whole of it, or where something is hidden the members that differ. */
export function editBetween(shown: unknown, after: unknown): { readonly body: unknown } | { readonly patch: unknown } {
  return hides(shown) ? { patch: patchBetween(shown, after) } : { body: after };
}

/** Whether something of a body stands for what is not shown, also in an edit. */
export const hides = (body: unknown): boolean => (JSON.stringify(body) ?? "").includes(JSON.stringify(HIDDEN));

const own = (members: Members, name: string): unknown => (Object.hasOwn(members, name) ? members[name] : undefined);

/** Also a member that is called `__proto__`. */
function define(members: object, name: string, value: unknown): void {
  Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });
}
