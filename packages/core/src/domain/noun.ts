// What an app calls its jobs in its content, documents and messages. The core calls them jobs everywhere else.

/** The app's word for a job, such as `video` and `videos`. It is used in names of members, such as `videoId`, and in texts. */
export interface Noun {
  /** A JSON name, in the singular. */
  readonly one: string;
  readonly many: string;
}

/** The noun of an app without a word of its own. */
export const JOB: Noun = { one: "job", many: "jobs" };

/** The member of the content that is its id. */
export function idName<const One extends string>({ one }: { readonly one: One }): `${One}Id` {
  return `${one}Id`;
}

/** The content, which the contract has checked, has this member. */
export function idOf(content: object, noun: Noun): string {
  return String((content as { readonly [name: string]: unknown })[idName(noun)]);
}

/** The job of a message's body: jobs and start messages name it, agents' requests and replies have it in their ticket. */
export function jobIdIn(body: unknown, noun: Noun): string | undefined {
  const name = idName(noun);
  const { [name]: own, ticket } = Object(body) as { readonly [name: string]: unknown };
  const found = own ?? (Object(ticket) as Members)[name];
  return typeof found === "string" ? found : undefined;
}

const NAMES = ["job", "jobId", "jobIds", "jobRevision"] as const;
const NAME = new RegExp(`\\b(${NAMES.join("|")}|jobs)\\b`, "g");

function called(name: string, { one, many }: Noun): string {
  if (name === "jobs") return many;
  return name.replace(JOB.one, one);
}

const isOwn = ({ one, many }: Noun) => one !== JOB.one || many !== JOB.many;

type Members = { readonly [name: string]: unknown };

/** A loop, because every document and every message passes through here: with `Object.entries` it takes twice as long. */
function renamed(value: Members, names: ReadonlyMap<string, string>): Members {
  const copy: { [name: string]: unknown } = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    // An assignment would set the copy's prototype and not a member.
    if (name === "__proto__") Object.defineProperty(copy, name, { ...AS_ASSIGNED, value: member });
    else copy[names.get(name) ?? name] = member;
  }
  return copy;
}

const AS_ASSIGNED = { configurable: true, enumerable: true, writable: true } as const;

const tables = new WeakMap<
  Noun,
  { readonly out: ReadonlyMap<string, string>; readonly in: ReadonlyMap<string, string> }
>();

function tablesOf(noun: Noun) {
  const known = tables.get(noun);
  if (known) return known;
  const pairs = [...NAMES, "jobs"].map((name) => [name, called(name, noun)] as const);
  const made = { out: new Map(pairs), in: new Map(pairs.map(([name, own]) => [own, name])) };
  tables.set(noun, made);
  return made;
}

/** A document or a message in the app's form: only its own members are renamed, not theirs, because those may be content. */
export function inAppsNames<T>(value: T, noun: Noun): T {
  return isOwn(noun) && isObject(value) ? (renamed(value, tablesOf(noun).out) as T) : value;
}

/** The reverse: for any value, because it may come from any sender. */
export function inCoresNames<T>(value: T, noun: Noun): T {
  return isOwn(noun) && isObject(value) ? (renamed(value, tablesOf(noun).in) as T) : value;
}

/** A member's name, as in a document in the app's form. */
export function nameInAppsNames(name: string, noun: Noun): string {
  return isOwn(noun) ? (tablesOf(noun).out.get(name) ?? name) : name;
}

/** The names in a text: in a query, or a fault that the app's users read. */
export function textInAppsNames(text: string, noun: Noun): string {
  return isOwn(noun) ? text.replace(NAME, (name) => called(name, noun)) : text;
}

function isObject(value: unknown): value is Members {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
