// The last hour as small bars and curves, with a mark where each trouble began. Drawn by hand: a charting library for Fluent UI would be heavier than the whole page.
import { roundedDuration } from "@scheduler-agent-supervisor/operator/domain";
import type { ReactNode } from "react";
import type { LastHour } from "../api/contract.ts";
import { OVERVIEW } from "../words/overview.ts";
import { useInstant } from "./zone.tsx";

const WIDTH = 10;
const HEIGHT = 64;
const TOP = 8;
const BOTTOM = HEIGHT + TOP;
/** A message that waits for less time is soon taken. */
const SOON_MS = 10_000;

interface Mark {
  readonly at: string;
  readonly words: string;
}

interface HourProps {
  readonly hour: LastHour;
  readonly marks: readonly Mark[];
}

export function Hour({ hour, marks }: HourProps) {
  const { received, processed, errors, oldestMs, broken } = hour;
  return (
    <div className="charts">
      <Chart name={OVERVIEW.receivedJobs} counts={received} hour={hour} marks={marks} />
      <Chart name={OVERVIEW.processedJobs} counts={processed} hour={hour} marks={marks} />
      <Chart name={OVERVIEW.errorJobs} counts={errors} hour={hour} marks={marks} isBad isAll={hour.errorsAreAll} />
      <Curve
        name={OVERVIEW.oldestMessage}
        values={oldestMs}
        hour={hour}
        marks={marks}
        wordsOf={(ageMs) => (ageMs === 0 ? OVERVIEW.none : roundedDuration(ageMs))}
        least={SOON_MS}
      />
      <Curve
        name={OVERVIEW.openBreakers}
        values={broken.map((agents) => agents?.length ?? null)}
        hour={hour}
        marks={marks}
        wordsOf={String}
        least={1}
        detailOf={(slot) => broken[slot]?.join(", ") ?? ""}
      />
    </div>
  );
}

interface SlotsProps extends HourProps {
  readonly name: string;
}

interface ChartProps extends SlotsProps {
  readonly counts: readonly number[];
  readonly isBad?: boolean;
  /** False where more were not counted. */
  readonly isAll?: boolean;
}

function Chart({ name, counts, hour, marks, isBad = false, isAll = true }: ChartProps) {
  const timeOf = useSlotTime(hour);
  const most = Math.max(1, ...counts);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return (
    <Slots
      name={name}
      about={OVERVIEW.inHour(total, Math.max(0, ...counts), isAll)}
      values={counts.map(String)}
      hour={hour}
      marks={marks}
    >
      {counts.map((count, slot) => {
        const height = count === 0 ? 1 : Math.max(3, Math.round((count / most) * HEIGHT));
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place.
            key={slot}
            className={count === 0 ? "none" : isBad ? "bad" : "some"}
            x={slot * WIDTH}
            y={BOTTOM - height}
            width={WIDTH - 2}
            height={height}
          >
            <title>{OVERVIEW.slot(timeOf(slot), count.toLocaleString("en"))}</title>
          </rect>
        );
      })}
    </Slots>
  );
}

interface CurveProps extends SlotsProps {
  /** Null where nobody has looked: the curve has a gap there. */
  readonly values: readonly (number | null)[];
  readonly wordsOf: (value: number) => string;
  /** The top of the chart, unless a value is above it: less than this is well. */
  readonly least: number;
  readonly detailOf?: (slot: number) => string;
}

function Curve({ name, values, hour, marks, wordsOf, least, detailOf }: CurveProps) {
  const timeOf = useSlotTime(hour);
  const known = values.filter((value) => value !== null);
  const most = Math.max(0, ...known);
  const heightOf = (value: number) => BOTTOM - 1 - Math.round((value / Math.max(least, most)) * (HEIGHT - 2));
  const said = values.map((value) => (value === null ? OVERVIEW.notLooked : wordsOf(value)));
  const about = known.length === 0 ? OVERVIEW.notLooked : OVERVIEW.atMost(wordsOf(known.at(-1) ?? 0), wordsOf(most));
  return (
    <Slots name={name} about={about} values={said} hour={hour} marks={marks}>
      {runsOf(values).map((run) => (
        <polyline
          key={run[0]?.slot}
          className={most < least ? "curve" : "curve bad"}
          points={run
            .flatMap(({ slot, value }) => [slot * WIDTH, (slot + 1) * WIDTH].map((x) => `${x},${heightOf(value)}`))
            .join(" ")}
        />
      ))}
      {said.map((words, slot) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place.
        <rect key={slot} className="hit" x={slot * WIDTH} y={TOP} width={WIDTH} height={HEIGHT}>
          <title>{OVERVIEW.slot(timeOf(slot), [words, detailOf?.(slot)].filter(Boolean).join(": "))}</title>
        </rect>
      ))}
    </Slots>
  );
}

/** Without the gaps. */
function runsOf(values: readonly (number | null)[]) {
  const runs: { slot: number; value: number }[][] = [];
  for (const [slot, value] of values.entries()) {
    if (value === null) continue;
    const last = runs.at(-1);
    if (last?.at(-1)?.slot === slot - 1) last.push({ slot, value });
    else runs.push([{ slot, value }]);
  }
  return runs;
}

function useSlotTime({ from, slotMs }: LastHour): (slot: number) => string {
  const words = useInstant();
  return (slot) => words(new Date(Date.parse(from) + slot * slotMs).toISOString(), false).slice(0, 5);
}

interface FrameProps extends SlotsProps {
  readonly about: string;
  readonly values: readonly string[];
  readonly children: ReactNode;
}

/** The frame of a chart: its name, its axis, and a line where each trouble began. */
function Slots({ name, about, values, hour, marks, children }: FrameProps) {
  const words = useInstant();
  const timeOf = useSlotTime(hour);
  const width = values.length * WIDTH;
  const placeOf = (at: string) => ((Date.parse(at) - Date.parse(hour.from)) / hour.slotMs) * WIDTH;
  const inside = marks.filter(({ at }) => placeOf(at) >= 0 && placeOf(at) <= width);
  return (
    <figure className="chart">
      <figcaption>
        {name} <span className="quiet whole">{about}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${BOTTOM}`} role="img" aria-label={OVERVIEW.chart(name, values, timeOf(0))}>
        {children}
        {inside.map(({ at, words: what }) => (
          <g key={`${at} ${what}`} className="mark">
            <line x1={placeOf(at)} x2={placeOf(at)} y1={0} y2={BOTTOM} />
            <title>{`${words(at)} ${what}`}</title>
          </g>
        ))}
      </svg>
      <p className="axis quiet">
        <span>{timeOf(0)}</span>
        <span>{timeOf(values.length / 2)}</span>
        <span>{timeOf(values.length)}</span>
      </p>
    </figure>
  );
}
