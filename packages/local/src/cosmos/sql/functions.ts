// The built-in functions by name, and the ones that Azure has and this server refuses.
import { ARRAY_FUNCTIONS } from "./array-functions.ts";
import { QueryFault } from "./fault.ts";
import { NUMBER_FUNCTIONS } from "./number-functions.ts";
import { exactly, type Run, type Scalar } from "./scalar.ts";
import { TEXT_FUNCTIONS } from "./text-functions.ts";
import { isObject, type Value } from "./values.ts";

/** The number that is in the resource id of a document. */
function documentId([document]: readonly Value[]): Value {
  const rid = isObject(document) ? document["_rid"] : undefined;
  const bytes = Buffer.from(String(rid ?? "").replaceAll("-", "/"), "base64");
  return bytes.length === 16 ? Number(bytes.readBigUInt64LE(8)) : undefined;
}

const FUNCTIONS: Readonly<Record<string, Scalar>> = {
  ...ARRAY_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...TEXT_FUNCTIONS,
  DOCUMENTID: exactly(1, documentId),
};

const REFUSED: readonly (readonly [RegExp, string])[] = [
  [/^ST_/, "Spatial functions are"],
  [/^VECTORDISTANCE$/, "Vector search is"],
  [/DATETIME|^GETCURRENT|^(NOW|AGO|YEAR|MONTH|DAY)$/, "Functions of time are"],
  [/^REGEXMATCH$/, "Regular expressions are"],
  [/^(FULLTEXT.*|RRF)$/, "Full text search is"],
];

export function scalarFunction(name: string, given: number): Run {
  const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
  if (!known) {
    const [, what = "The function is"] = REFUSED.find(([pattern]) => pattern.test(name)) ?? [];
    throw new QueryFault(`${what} not supported by this server: ${name}.`);
  }
  if (given < known.least || given > known.most)
    throw new QueryFault(`${name} takes ${known.least} to ${known.most} arguments, not ${given}.`);
  return known.run;
}
