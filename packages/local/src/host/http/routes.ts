// Route templates of HTTP functions, after ASP.NET: `items/{id:int}/{part?}`, `files/{*path}`; the most specific one wins.

export interface Route<T> {
  readonly methods: ReadonlySet<string>;
  readonly pattern: RegExp;
  /** Parameter names by group of the pattern. */
  readonly names: readonly string[];
  readonly checks: readonly Check[];
  readonly defaults: Readonly<Record<string, string>>;
  /** One character a segment, the smaller the more specific. */
  readonly precedence: string;
  readonly target: T;
}

interface Check {
  readonly name: string;
  readonly accepts: (value: string) => boolean;
}

export interface RouteMatch<T> {
  readonly target: T;
  readonly params: Readonly<Record<string, string>>;
}

const matches = (pattern: RegExp) => () => (value: string) => pattern.test(value);
const number = Number;

/** As .NET reads a whole number of so many bits; undefined for what is none. */
function whole(value: string, bits: number): bigint | undefined {
  if (!/^\s*[+-]?\d+\s*$/.test(value)) return undefined;
  const read = BigInt(value.replace("+", "").trim());
  return BigInt.asIntN(bits, read) === read ? read : undefined;
}

const wholes = (bits: number) => () => (value: string) => whole(value, bits) !== undefined;
/** @param holds of the number and the constraint's own, if the value is a whole number */
const compares =
  (holds: (read: bigint, parameters: readonly bigint[]) => boolean) =>
  (...parameters: string[]) => {
    const bounds = parameters.map(BigInt);
    return (value: string) => {
      const read = whole(value, LONG_BITS);
      return read !== undefined && holds(read, bounds);
    };
  };
const INT_BITS = 32;
const LONG_BITS = 64;

const HEX = "[\\da-f]";
const GROUPS = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`;
const GUID = new RegExp(`^(?:${HEX}{32}|${GROUPS}|\\{${GROUPS}\\}|\\(${GROUPS}\\))$`, "i");
/** Of what .NET reads without a culture: ISO 8601, and the month before the day. */
const INSTANT =
  /^(?:\d{4}-\d{1,2}-\d{1,2}|\d{1,2}\/\d{1,2}\/\d{4})(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,7})?)?(?: ?[AP]M)?(?:Z|[+-]\d{2}:\d{2})?)?$/i;
const isInstant = (value: string) => INSTANT.test(value) && !Number.isNaN(Date.parse(value));
/** The last segment has a dot with something behind it. */
const isFile = (value: string) => /\.[^./]+$/.test(value);

/** The constraints of ASP.NET routes, by name. */
const CONSTRAINTS: Readonly<Record<string, (...parameters: string[]) => (value: string) => boolean>> = {
  int: wholes(INT_BITS),
  long: wholes(LONG_BITS),
  decimal: matches(/^-?\d+(\.\d+)?$/),
  double: matches(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i),
  float: matches(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i),
  bool: matches(/^(true|false)$/i),
  alpha: matches(/^[a-z]*$/i),
  guid: matches(GUID),
  required: matches(/./),
  datetime: () => isInstant,
  file: () => isFile,
  nonfile: () => (value) => !isFile(value),
  length:
    (least = "0", most = least) =>
    ({ length }) =>
      length >= number(least) && length <= number(most),
  minlength:
    (least = "0") =>
    ({ length }) =>
      length >= number(least),
  maxlength:
    (most = "0") =>
    ({ length }) =>
      length <= number(most),
  min: compares((read, [least = 0n]) => read >= least),
  max: compares((read, [most = 0n]) => read <= most),
  range: compares((read, [least = 0n, most = 0n]) => read >= least && read <= most),
};

/** Compiles a template. Throws when ASP.NET would not take it, or does not know a constraint. */
export function compileRoute<T>(template: string, methods: readonly string[], target: T): Route<T> {
  const names: string[] = [];
  const checks: Check[] = [];
  const defaults: Record<string, string> = {};
  let source = "";
  let precedence = "";
  const segments = template.replace(/^\/|\/$/g, "").split(/\/(?![^{]*\})/);
  if (segments.length > 1 && segments.includes("")) throw new Error("a / cannot follow a /");
  for (const [index, segment] of segments.filter((part) => part !== "").entries()) {
    const parameter = /^\{(\*{0,2})([^{}:=?]+)((?::[^{}()]+(?:\(.*?\))?)*)(?:=([^{}]*?))?(\?)?\}$/.exec(segment);
    if (parameter) {
      const [, star, name = "", constraints = "", fallback, optional] = parameter;
      if (fallback !== undefined && optional) throw new Error(`"${segment}" is optional and has a default`);
      if (star && index < segments.length - 1) throw new Error(`"${segment}" takes the rest: nothing can follow it`);
      if (star && optional) throw new Error(`"${segment}" takes the rest: it cannot be optional`);
      names.push(name);
      for (const accepts of readConstraints(constraints)) checks.push({ name, accepts });
      if (fallback !== undefined) defaults[name] = fallback;
      source += star ? "(?:/(.*))?" : optional || fallback !== undefined ? "(?:/([^/]+))?" : "/([^/]+)";
      precedence += star ? "4" : constraints ? "2" : "3";
    } else {
      source += `/${segmentPattern(segment, names)}`;
      precedence += segment.includes("{") ? "1" : "0";
    }
  }
  const twice = names.find((name, index) => names.findIndex((other) => isSameName(name, other)) < index);
  if (twice !== undefined) throw new Error(`the parameter ${twice} appears more than once`);
  return {
    methods: new Set(methods.map((method) => method.toUpperCase())),
    pattern: new RegExp(`^${source}/?$`, "i"),
    names,
    checks,
    defaults,
    precedence,
    target,
  };
}

const isSameName = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** A segment that mixes text and parameters, such as `report-{id}.json`, or is text alone. */
function segmentPattern(segment: string, names: string[]): string {
  if (segment.includes("}{")) throw new Error(`"${segment}" has two parameters without a text between them`);
  return segment
    .split(/(\{[^{}]*\})/)
    .map((piece) => {
      const parameter = /^\{(\w+)\}$/.exec(piece)?.[1];
      if (parameter === undefined) {
        if (/[{}]/.test(piece)) throw new Error(`"${segment}" is not a route segment that this host reads`);
        if (piece.includes("?")) throw new Error(`"${segment}" has a ?, which no text of a route has`);
        return piece.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
      }
      names.push(parameter);
      return "([^/]+?)";
    })
    .join("");
}

function readConstraints(text: string): ((value: string) => boolean)[] {
  return [...text.matchAll(/:([a-z]+)(?:\((.*?)\))?/gi)].map(([, name = "", parameters]) => {
    if (name === "regex") return matches(new RegExp(parameters ?? "", "i"))();
    const constraint = CONSTRAINTS[name.toLowerCase()];
    if (!constraint)
      throw new Error(`"${name}" is not a route constraint: known are ${Object.keys(CONSTRAINTS).join(", ")}`);
    return constraint(...(parameters?.split(",").map((parameter) => parameter.trim()) ?? []));
  });
}

/** The most specific first. */
export function sortRoutes<T>(routes: readonly Route<T>[]): Route<T>[] {
  return routes.toSorted((a, b) => (a.precedence < b.precedence ? -1 : a.precedence > b.precedence ? 1 : 0));
}

/** Finds the route of a request; `path` begins with a slash. As on the real host, a wrong method is no match at all. */
export function matchRoute<T>(routes: readonly Route<T>[], method: string, path: string): RouteMatch<T> | undefined {
  for (const route of routes) {
    if (!route.methods.has(method)) continue;
    const found = route.pattern.exec(path);
    if (!found) continue;
    const params: Record<string, string> = { ...route.defaults };
    route.names.forEach((name, index) => {
      const value = found[index + 1];
      if (value !== undefined && value !== "") params[name] = decode(value);
    });
    if (route.checks.every(({ name, accepts }) => params[name] === undefined || accepts(params[name]))) {
      return { target: route.target, params };
    }
  }
  return undefined;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
