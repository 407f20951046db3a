// Full text search: whether a text has words and phrases, and how well it fits them by BM25. Words are letters and digits in any
// case; unlike Azure's, they are not reduced to their stems, and none is left out.
// Source: Cosmos DB documentation, "Full-text search" and "Hybrid search".
import { atLeast, between, exactly, type Scalar } from "./scalar.ts";
import { isObject, type Value } from "./values.ts";

const WORD = /[\p{L}\p{N}]+/gu;
const K1 = 1.2;
const B = 0.75;

const wordsOf = (text: string) => text.toLowerCase().match(WORD) ?? [];

/** How often a word, or words one after the other, are among others. */
function occurrences(words: readonly string[], term: readonly string[]): number {
  if (term.length === 0) return 0;
  return words.filter((_, at) => term.every((word, offset) => words[at + offset] === word)).length;
}

const containing = (how: "some" | "every"): Scalar =>
  atLeast(2, ([text, ...terms]) => {
    if (typeof text !== "string" || !terms.every((term) => typeof term === "string")) return undefined;
    const words = wordsOf(text);
    return terms[how]((term) => occurrences(words, wordsOf(String(term))) > 0);
  });

/** Of what `documentCount` documents are, which have `totalWordCount` words, and `hitCounts` of which have each term. */
function score([text, terms, documentCount, totalWordCount, hitCounts]: readonly Value[]): Value {
  if (typeof text !== "string" || !Array.isArray(terms) || !Array.isArray(hitCounts)) return 0;
  const words = wordsOf(text);
  const [documents, all] = [Number(documentCount), Number(totalWordCount)];
  const length = words.length / (all / documents);
  return terms.reduce<number>((sum, term, index) => {
    const often = occurrences(words, wordsOf(String(term)));
    const hits = Number(hitCounts[index]);
    const rarity = Math.log(1 + (documents - hits + 0.5) / (hits + 0.5));
    return often === 0 ? sum : sum + (rarity * often * (K1 + 1)) / (often + K1 * (1 - B + B * length));
  }, 0);
}

export const FULL_TEXT_FUNCTIONS: Readonly<Record<string, Scalar>> = {
  FULLTEXTCONTAINS: exactly(2, containing("every").run),
  FULLTEXTCONTAINSALL: containing("every"),
  FULLTEXTCONTAINSANY: containing("some"),
  // With what a client has gathered of all partitions; see full-text-plan.ts.
  FULLTEXTSCORE: between(5, 5, score),
  FULLTEXTWORDCOUNT: exactly(1, ([text]) => (typeof text === "string" ? wordsOf(text).length : 0)),
};

/** What is wrong with the full text policy of a container, if anything. */
export function fullTextFault(policy: Value): string | undefined {
  if (policy === undefined) return undefined;
  const paths = isObject(policy) ? (policy["fullTextPaths"] ?? []) : undefined;
  const valid = Array.isArray(paths) && paths.every((each) => isObject(each) && /^\/./.test(String(each["path"])));
  return valid ? undefined : "A full text policy has fullTextPaths, each with a path that begins with '/'.";
}
