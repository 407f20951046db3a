// Exports what a search finds, with how far it is and a way to stop it.

import { useEffect, useRef, useState } from "react";
import { get } from "../api/client.ts";
import type { JobPage } from "../api/contract.ts";
import { type JobFilter, query } from "../api/queries.ts";
import { csvOf, EXPORT_LIMIT, jsonLinesOf, readAllPages } from "../export.ts";
import { SEARCH } from "../words/search.ts";
import { Button } from "./fluent.ts";
import { Fault } from "./notices.tsx";

const FORMATS = {
  csv: { write: csvOf, type: "text/csv;charset=utf-8" },
  jsonl: { write: jsonLinesOf, type: "application/jsonl" },
} as const;

type Format = keyof typeof FORMATS;

export function ExportButtons({ filter }: { readonly filter: JobFilter }) {
  const running = useRef<AbortController>(undefined);
  const [isRunning, setRunning] = useState(false);
  const [said, say] = useState("");
  const [fault, setFault] = useState<unknown>();
  // Who leaves the view wants no file any more.
  useEffect(() => () => running.current?.abort(), []);

  const start = async (format: Format) => {
    const stop = new AbortController();
    running.current = stop;
    setRunning(true);
    setFault(undefined);
    say(SEARCH.exporting(0));
    try {
      const read = (limit: number, continuation: string | undefined) =>
        get<JobPage>(`jobs${query({ ...filter, limit, continuation })}`, stop.signal);
      const { jobs, isAll } = await readAllPages(read, (count) => say(SEARCH.exporting(count)));
      const { write, type } = FORMATS[format];
      save(new Blob([write(jobs)], { type }), nameOf(format));
      say(isAll ? SEARCH.exported(jobs.length) : SEARCH.exportedSome(EXPORT_LIMIT));
    } catch (cause) {
      say(stop.signal.aborted ? SEARCH.exportStopped : "");
      if (!stop.signal.aborted) setFault(cause);
    } finally {
      setRunning(false);
    }
  };

  return (
    <section className="export" aria-label={SEARCH.export}>
      <div className="buttons">
        {(["csv", "jsonl"] as const).map((format) => (
          <Button key={format} disabled={isRunning} onClick={() => void start(format)}>
            {SEARCH.exportAs[format]}
          </Button>
        ))}
        {isRunning && <Button onClick={() => running.current?.abort()}>{SEARCH.stopExport}</Button>}
      </div>
      <p role="status" className="said">
        {said}
      </p>
      {fault !== undefined && <Fault cause={fault} />}
    </section>
  );
}

function nameOf(format: Format): string {
  return `jobs-${new Date().toISOString().slice(0, "2026-01-31T12:00".length).replaceAll(":", "")}Z.${format}`;
}

function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
