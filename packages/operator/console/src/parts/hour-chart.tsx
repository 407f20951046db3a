// How many came in each of the last 24 hours, as small bars.
import { ATTENTION } from "../words/attention.ts";

const WIDTH = 6;
const HEIGHT = 28;

export function HourChart({ hours }: { readonly hours: readonly number[] }) {
  const most = Math.max(1, ...hours);
  return (
    <figure className="hours">
      <svg width={hours.length * WIDTH} height={HEIGHT} role="img" aria-label={ATTENTION.chart(hours)}>
        {hours.map((count, hour) => {
          const height = count === 0 ? 1 : Math.max(3, Math.round((count / most) * HEIGHT));
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: an hour is its place.
              key={hour}
              className={count === 0 ? "none" : "some"}
              x={hour * WIDTH}
              y={HEIGHT - height}
              width={WIDTH - 2}
              height={height}
            />
          );
        })}
      </svg>
      <figcaption>{ATTENTION.day}</figcaption>
    </figure>
  );
}
