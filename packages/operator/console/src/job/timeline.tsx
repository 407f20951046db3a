// When each step waited and when it ran, forward and in compensation, to scale.
import { isFailure, roundedDuration } from "@scheduler-agent-supervisor/operator/domain";
import type { JobRecord, StepRun } from "../api/contract.ts";
import { useInstant, useNow } from "../parts/zone.tsx";
import { JOB, STEP_STATES } from "../words/job.ts";

interface Bar {
  readonly key: string;
  readonly kind: "waiting" | "awaiting" | "running" | "failed" | "compensating";
  readonly from: number;
  readonly to: number;
  readonly words: string;
}

interface Row {
  readonly name: string;
  readonly hasFailed: boolean;
  readonly bars: readonly Bar[];
}

interface TimelineProps {
  readonly record: JobRecord;
  readonly failedOnly: boolean;
}

export function Timeline({ record, failedOnly }: TimelineProps) {
  const words = useInstant();
  const clock = useNow(5000);
  const isOpen = record.processState === "Pending" || record.processState === "Processing";
  // What was in hand when the job ended waits no longer.
  const now = isOpen ? clock : Date.parse(record.updatedAt);
  const rows = Object.entries(record.steps).flatMap(([name, step]) => [
    ...rowOf(name, step, false, now),
    ...(step.compensation ? rowOf(JOB.compensation(name), step.compensation, true, now) : []),
  ]);
  const events = record.history.filter((entry) => !failedOnly || isFailure(entry));
  const instants = record.history.map(({ at }) => Date.parse(at));
  const ends = [...rows.flatMap(({ bars }) => bars.map(({ to }) => to)), latestOf(instants)];
  const from = Date.parse(record.createdAt);
  const to = Math.max(from + 1, ...ends, ...(isOpen ? [now] : []));
  const place = (at: number) => `${Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100))}%`;
  return (
    <div className="timeline">
      <p className="quiet">
        {JOB.timelineAbout(words(new Date(from).toISOString()), words(new Date(to).toISOString()))} (
        {roundedDuration(to - from)})
      </p>
      <ul>
        {rows
          .filter(({ hasFailed }) => hasFailed || !failedOnly)
          .map(({ name, bars }) => (
            <li key={name}>
              <span className="label">{name}</span>
              <span className="track">
                {bars.map((bar) => (
                  <span
                    key={bar.key}
                    role="img"
                    className={`bar ${bar.kind}`}
                    title={bar.words}
                    aria-label={bar.words}
                    style={{ left: place(bar.from), width: `calc(${place(bar.to)} - ${place(bar.from)})` }}
                  />
                ))}
              </span>
            </li>
          ))}
        <li>
          <span className="label">{JOB.events}</span>
          <span className="track">
            {marksOf(events, from, to).map(({ at, words }) => (
              <span
                key={at}
                role="img"
                className="event"
                title={words}
                aria-label={words}
                style={{ left: place(at) }}
              />
            ))}
          </span>
        </li>
      </ul>
      <p className="legend quiet">
        {LEGEND.map(([look, words]) => (
          <span key={look}>
            <span className={`bar ${look}`} /> {words}
          </span>
        ))}
      </p>
    </div>
  );
}

const LEGEND = [
  ["waiting", JOB.waiting],
  ["running", JOB.running],
  ["failed", STEP_STATES.Failed],
  ["compensating", STEP_STATES.Compensated],
] as const;

/** So many marks can be distinguished; more would only be slow. */
const MARKS = 200;

/** What stands in the same place is one mark, which says the first of it and how many there are. */
function marksOf(events: JobRecord["history"], from: number, to: number) {
  const marks = new Map<number, { readonly at: number; readonly what: string; count: number }>();
  for (const { at, what } of events) {
    const slot = Math.round(((Date.parse(at) - from) / (to - from)) * MARKS);
    const mark = marks.get(slot);
    if (mark) mark.count += 1;
    else marks.set(slot, { at: Date.parse(at), what, count: 1 });
  }
  return [...marks.values()].map(({ at, what, count }) => ({ at, words: JOB.mark(what, count) }));
}

const latestOf = (instants: readonly number[]): number => instants.reduce((latest, at) => Math.max(latest, at), 0);

function rowOf(name: string, run: StepRun, isCompensation: boolean, now: number): Row[] {
  const { scheduledAt, startedAt, endedAt, state } = run;
  if (!scheduledAt && !startedAt) return [];
  const at = (instant: string | null, usual: number) => (instant ? Date.parse(instant) : usual);
  const isOpen = state === "Running" || state === "Scheduled" || state === "Awaiting";
  const end = at(endedAt, isOpen ? now : at(run.completeBy, at(startedAt, now)));
  const start = at(startedAt, state === "Scheduled" ? end : at(scheduledAt, end));
  const bar = (kind: Bar["kind"], from: number, to: number, what: string): Bar[] =>
    to < from ? [] : [{ key: kind, kind, from, to, words: `${name}: ${what} ${roundedDuration(to - from)}` }];
  // From then on nobody here was at work.
  const accepted = run.accepted && Math.max(start, Date.parse(run.accepted.at));
  const isAwaited = state === "Awaiting";
  const ran = state === "Failed" ? "failed" : isCompensation ? "compensating" : "running";
  return [
    {
      name,
      hasFailed: state === "Failed" || run.error !== null || run.retryCount > 0,
      bars: [
        ...(scheduledAt && start > Date.parse(scheduledAt)
          ? bar("waiting", Date.parse(scheduledAt), start, JOB.waiting.toLowerCase())
          : []),
        ...(state === "Scheduled"
          ? []
          : bar(ran, start, accepted ?? end, (isAwaited ? JOB.running : STEP_STATES[state]).toLowerCase())),
        ...(accepted === undefined ? [] : bar("awaiting", accepted, end, STEP_STATES.Awaiting.toLowerCase())),
      ],
    },
  ];
}
