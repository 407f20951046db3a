// The zone that all times are shown in, which each operator chooses; and times in words.

import { roundedDuration } from "@scheduler-agent-supervisor/operator/domain";
import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import { appNow } from "../api/clock.ts";
import { TEXT } from "../words/frame.ts";

const CHOSEN = "zone";
const own = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

interface Zone {
  readonly zone: string;
  readonly own: string;
  readonly choose: (zone: string) => void;
}

const Context = createContext<Zone>({ zone: own, own, choose: () => {} });

export function ZoneProvider({ children }: { readonly children: ReactNode }) {
  const [zone, setZone] = useState(() => (localStorage.getItem(CHOSEN) === "UTC" ? "UTC" : own));
  const value = useMemo(
    () => ({
      zone,
      own,
      choose: (chosen: string) => {
        localStorage.setItem(CHOSEN, chosen);
        setZone(chosen);
      },
    }),
    [zone],
  );
  return <Context.Provider value={value}>{children}</Context.Provider>;
}

export const useZone = () => useContext(Context);

/** An instant as text in the chosen zone; with its date where that is another day. */
export function useInstant(): (at: string, withDate?: boolean) => string {
  const { zone } = useZone();
  return useMemo(() => {
    const day = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" });
    const time = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, timeStyle: "medium" });
    return (at, withDate = true) => {
      const date = new Date(at);
      if (Number.isNaN(date.getTime())) return "";
      const isToday = day.format(date) === day.format(appNow());
      return withDate && !isToday ? `${day.format(date)} ${time.format(date)}` : time.format(date);
    };
  }, [zone]);
}

/** An instant as the app writes it into a text. */
const WRITTEN = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z/g;

/** A text of the app, with its instants in the chosen zone. */
export function Said({ text }: { readonly text: string }) {
  const words = useInstant();
  return text.replace(WRITTEN, (at) => words(at));
}

export function Instant({ at }: { readonly at: string }) {
  const words = useInstant();
  return <time dateTime={at}>{words(at)}</time>;
}

const TICK_MS = 10_000;
const MINUTE_MS = 60_000;

/** Nobody has to know seconds here, and clocks differ by some. */
function ageWords(ms: number): string {
  return ms < MINUTE_MS ? TEXT.justNow : TEXT.ago(roundedDuration(ms));
}

/** How long ago, with the instant itself for whoever points at it. */
export function Age({ at }: { readonly at: string }) {
  const words = useInstant();
  const now = useNow(TICK_MS);
  return (
    <time dateTime={at} title={words(at)}>
      {ageWords(now - Date.parse(at))}
    </time>
  );
}

/** The app's time. A tab that comes into sight again does not wait for its next tick: what it shows may be hours old. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(appNow);
  useEffect(() => {
    const tick = () => setNow(appNow());
    const timer = setInterval(tick, everyMs);
    document.addEventListener("visibilitychange", tick);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", tick);
    };
  }, [everyMs]);
  return now;
}
