// The last hour as small bars, with a mark where each trouble began. Drawn by hand: a charting library for Fluent UI would be heavier than the whole page.
import type { LastHour } from "../api/contract.ts";
import { OVERVIEW } from "../words/overview.ts";
import { useInstant } from "./zone.tsx";

const WIDTH = 10;
const HEIGHT = 64;
const TOP = 8;

export interface Mark {
  readonly at: string;
  readonly words: string;
}

interface HourProps {
  readonly hour: LastHour;
  readonly marks: readonly Mark[];
}

export function Hour({ hour, marks }: HourProps) {
  const { received, processed, errors } = hour;
  return (
    <div className="charts">
      <Chart name={OVERVIEW.receivedJobs} counts={received} hour={hour} marks={marks} />
      <Chart name={OVERVIEW.processedJobs} counts={processed} hour={hour} marks={marks} />
      <Chart name={OVERVIEW.errorJobs} counts={errors} hour={hour} marks={marks} isBad />
    </div>
  );
}

interface ChartProps extends HourProps {
  readonly name: string;
  readonly counts: readonly number[];
  readonly isBad?: boolean;
}

function Chart({ name, counts, hour: { from, slotMs }, marks, isBad = false }: ChartProps) {
  const words = useInstant();
  const most = Math.max(1, ...counts);
  const width = counts.length * WIDTH;
  const begin = Date.parse(from);
  const placeOf = (at: string) => ((Date.parse(at) - begin) / slotMs) * WIDTH;
  const inside = marks.filter(({ at }) => placeOf(at) >= 0 && placeOf(at) <= width);
  const timeOf = (slot: number) => words(new Date(begin + slot * slotMs).toISOString(), false).slice(0, 5);
  const total = counts.reduce((sum, count) => sum + count, 0);
  return (
    <figure className="chart">
      <figcaption>
        {name} <span className="quiet">{OVERVIEW.inHour(total, most)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${HEIGHT + TOP}`} role="img" aria-label={OVERVIEW.chart(name, counts, timeOf(0))}>
        {counts.map((count, slot) => {
          const height = count === 0 ? 1 : Math.max(3, Math.round((count / most) * HEIGHT));
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: a slot is its place.
              key={slot}
              className={count === 0 ? "none" : isBad ? "bad" : "some"}
              x={slot * WIDTH}
              y={HEIGHT + TOP - height}
              width={WIDTH - 2}
              height={height}
            >
              <title>{OVERVIEW.slot(timeOf(slot), count)}</title>
            </rect>
          );
        })}
        {inside.map(({ at, words: what }) => (
          <g key={`${at} ${what}`} className="mark">
            <line x1={placeOf(at)} x2={placeOf(at)} y1={0} y2={HEIGHT + TOP} />
            <title>{`${words(at)} ${what}`}</title>
          </g>
        ))}
      </svg>
      <p className="axis quiet">
        <span>{timeOf(0)}</span>
        <span>{timeOf(counts.length / 2)}</span>
        <span>{timeOf(counts.length)}</span>
      </p>
    </figure>
  );
}
