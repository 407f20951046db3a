// Actions on what a search has found: on the rows that are chosen, or on all that match.

import type { BulkRun, ProcessState } from "../api/contract.ts";
import type { SearchFilter } from "../api/queries.ts";
import { BULK } from "../words/bulk.ts";
import { KINDS, STATES } from "../words/job.ts";
import { SEARCH } from "../words/search.ts";
import { BulkButtons } from "./bulk-buttons.tsx";
import { Button } from "./fluent.ts";
import type { Selection } from "./table.tsx";

/** What a job in that state may take; each preview says of which jobs it is not possible. */
const ACTIONS_OF: { readonly [state in ProcessState]: readonly BulkRun["action"][] } = {
  Pending: ["resubmit", "extend", "compensate", "cancel"],
  Processing: ["extend", "compensate", "cancel"],
  Processed: [],
  Compensated: ["resubmit"],
  Cancelled: ["resubmit"],
  Error: ["resubmit", "compensate", "markResolved"],
};
const ALL: readonly BulkRun["action"][] = ["resubmit", "compensate", "markResolved", "cancel", "extend"];

interface BulkOfSearchProps {
  readonly filter: SearchFilter;
  readonly selection: Selection;
}

export function BulkOfSearch({ filter, selection: { chosen, choose } }: BulkOfSearchProps) {
  const jobIds = [...chosen];
  return (
    <section className={jobIds.length > 0 ? "bulk-of-search sticky" : "bulk-of-search"} aria-label={BULK.title}>
      {jobIds.length > 0 ? (
        <>
          <p role="status">
            {BULK.chosen(jobIds.length)}{" "}
            <Button size="small" onClick={() => choose(jobIds, false)}>
              {BULK.clear}
            </Button>
          </p>
          <BulkButtons
            target={{ jobIds }}
            actions={ALL}
            words={(action) => BULK.previewChosen(action, jobIds.length)}
            isCompact
          />
        </>
      ) : (
        <Matching filter={filter} />
      )}
    </section>
  );
}

function Matching({ filter: { state, ...others } }: { readonly filter: SearchFilter }) {
  if (!state && !others.waitsFor) return <p className="quiet">{BULK.matchingNeeds}</p>;
  if (state === "Processed") return null;
  const more = Object.entries(others).filter(([, value]) => value);
  const filter = { ...(state && { state: state as Exclude<ProcessState, "Processed"> }), ...Object.fromEntries(more) };
  return (
    <details>
      <summary>{BULK.matching}</summary>
      <p className="quiet">{BULK.matchingAbout}</p>
      <BulkButtons
        target={{ filter }}
        actions={ACTIONS_OF[filter.state ?? "Pending"] ?? []}
        words={BULK.previewMatching}
      />
    </details>
  );
}

/** A search in the words of its view. */
export function filterWords({
  state,
  kind,
  workflow,
  version,
  step,
  key,
  waitsFor,
  q,
  timeOf,
  from,
  to,
}: SearchFilter): string {
  const named = (names: { readonly [name: string]: string }, name: string | undefined) => name && (names[name] ?? name);
  const time = [from && `${SEARCH.from.toLowerCase()} ${from}`, to && `${SEARCH.to.toLowerCase()} ${to}`];
  const times = from || to ? [named(SEARCH.times, timeOf || "received"), ...time].filter(Boolean).join(" ") : "";
  const given = [
    named(STATES, state),
    named(KINDS, kind),
    workflow,
    version && `v${version}`,
    step,
    key,
    waitsFor && SEARCH.waitsForWords(waitsFor),
    q && `“${q}”`,
  ];
  return [...given, times].filter(Boolean).join(" · ");
}
