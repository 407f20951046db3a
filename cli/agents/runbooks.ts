// The runbooks of a new app: the repository's page in the words of the template, so that each alert leads to its section. From then on the page is
// the app's own.

/** Where alerts lead to. */
export const RUNBOOKS = "docs/how-to/runbooks.md";

/** What a job is called. */
export interface Spoken {
  readonly one: string;
  readonly many: string;
}

export const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
/** As an id of the page has it: LOAN-APPLICATION. */
const inName = (word: string): string => word.replaceAll(" ", "-");
const article = (word: string) => (/^[aeio]/i.test(word) ? "an" : "a");

/** The page in other words. The command `npm run orders` has its name in every app. */
export function runbooksInWords(text: string, from: Spoken, to: Spoken): string {
  const known = [from.many, from.one].flatMap((word) => [word, inName(word)]).join("|");
  // Kusto orders by columns.
  const places = new RegExp(`(\\ban? )?(?<!npm run )\\b(${known})\\b(?! by \\w+ (?:asc|desc)\\b)`, "gi");
  return text.replace(places, (_, before: string | undefined, word: string) => {
    const isMany = [from.many, inName(from.many)].includes(word.toLowerCase());
    const other = isMany ? to.many : to.one;
    if (word === word.toUpperCase()) return (before ?? "") + inName(other).toUpperCase();
    const said = word.slice(0, 1) === word.slice(0, 1).toUpperCase() ? capital(other) : other;
    if (before === undefined) return said;
    return `${before.startsWith("A") ? capital(article(other)) : article(other)} ${said}`;
  });
}

/** What only this repository's page has: examples of the sample, and links to other pages. */
const EXAMPLES: readonly (readonly [sample: string, other: string])[] = [
  ["takePayment", "STEP"],
  ["shipTo.city=Rome", "MEMBER=VALUE"],
  ["address corrected", "member corrected"],
  ["card renewed", "the cause is fixed"],
  ["new card", "member corrected"],
  ["out of stock", "the client asked for it"],
  ["they deliver there now", "the service does it now"],
  ["refunded by the bank", "compensated manually"],
  ["parcel is back", "compensated manually"],
  ["the bank has nothing", "the service has nothing"],
  ["the bank shows it", "the service shows it"],
  ["--result chargeId=ch-9 --result amount:=2500", "--result MEMBER=VALUE"],
  ['"result": {"chargeId": "ch-9", "amount": 2500}', '"result": <result>'],
  [" (`npm run node -- tests/outages/main.ts --only storage-down`)", ""],
  [" (order fulfilment: about 38 minutes)", ""],
];

/** The page for an app that has none of the sample and no other page. @throws where the page has lost an example */
export function runbooksOfAnyApp(text: string): string {
  const without = EXAMPLES.reduce((sofar, [sample, other]) => {
    if (!sofar.includes(sample)) throw new Error(`${RUNBOOKS} has no ${sample}`);
    return sofar.replaceAll(sample, other);
  }, text);
  return without.replaceAll(/ \(\[[^\]]*\]\([^#)][^)]*\)\)/g, "").replaceAll(/\[([^\]]*)\]\([^#)][^)]*\)/g, "$1");
}
