// JSON in which the order of members makes no difference: equal content has equal text.

/** @param change replaces a member that is no object; absent: each is unchanged */
export function canonicalJson(value: unknown, change: (member: unknown) => unknown = (member) => member): string {
  return JSON.stringify(value, (_, member: unknown) =>
    member !== null && typeof member === "object" && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : change(member),
  );
}
