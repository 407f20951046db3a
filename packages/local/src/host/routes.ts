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

/** The constraints of ASP.NET routes, by name. */
const CONSTRAINTS: Readonly<Record<string, (...parameters: string[]) => (value: string) => boolean>> = {
  int: matches(/^-?\d{1,10}$/),
  long: matches(/^-?\d{1,19}$/),
  decimal: matches(/^-?\d+(\.\d+)?$/),
  double: matches(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i),
  float: matches(/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i),
  bool: matches(/^(true|false)$/i),
  alpha: matches(/^[a-z]*$/i),
  guid: matches(/^[{(]?[\da-f]{8}-?([\da-f]{4}-?){3}[\da-f]{12}[)}]?$/i),
  required: matches(/./),
  datetime: () => (value) => !Number.isNaN(Date.parse(value)),
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
  min:
    (least = "0") =>
    (value) =>
      number(value) >= number(least),
  max:
    (most = "0") =>
    (value) =>
      number(value) <= number(most),
  range:
    (least = "0", most = "0") =>
    (value) =>
      number(value) >= number(least) && number(value) <= number(most),
};

/** Compiles a template. Throws when it is not one, or names an unknown constraint. */
export function compileRoute<T>(template: string, methods: readonly string[], target: T): Route<T> {
  const names: string[] = [];
  const checks: Check[] = [];
  const defaults: Record<string, string> = {};
  let source = "";
  let precedence = "";
  for (const segment of template.split(/\/(?![^{]*\})/).filter((part) => part !== "")) {
    const whole = /^\{(\*{0,2})([^{}:=?]+)((?::[^{}()]+(?:\(.*?\))?)*)(?:=([^{}]*))?(\?)?\}$/.exec(segment);
    if (whole) {
      const [, star, name = "", constraints = "", fallback, optional] = whole;
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

/** A segment that mixes text and parameters, such as `report-{id}.json`, or is text alone. */
function segmentPattern(segment: string, names: string[]): string {
  return segment
    .split(/(\{[^{}]*\})/)
    .map((piece) => {
      const parameter = /^\{(\w+)\}$/.exec(piece)?.[1];
      if (parameter === undefined) {
        if (/[{}]/.test(piece)) throw new Error(`"${segment}" is not a route segment that this host reads`);
        return piece.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
      }
      names.push(parameter);
      return "([^/]+?)";
    })
    .join("");
}

function readConstraints(text: string): ((value: string) => boolean)[] {
  return [...text.matchAll(/:([a-z]+)(?:\((.*?)\))?/gi)].map(([, name = "", parameters]) => {
    if (name === "regex") return matches(new RegExp(parameters ?? ""))();
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
