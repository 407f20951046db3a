// `npm run pictures`: draws the README's picture of the pattern anew. A test sees that what is committed is current.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readArguments, runCommand } from "./every-app/arguments.ts";
import { drawPattern, SCHEMES } from "./pictures/pattern.ts";
import { ROOT } from "./settings.ts";

const USAGE = `npm run pictures
  draws docs/pictures/pattern-light.svg and pattern-dark.svg anew`;

await runCommand(async () => {
  readArguments({}, USAGE);
  for (const scheme of SCHEMES) {
    const file = join("docs/pictures", `pattern-${scheme}.svg`);
    writeFileSync(join(ROOT, file), drawPattern(scheme));
    console.log(file);
  }
  return 0;
});
