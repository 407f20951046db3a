// Exports what a search finds, with how far it is and a way to stop it.

import { useEffect, useRef, useState } from "react";
import { get } from "../api/client.ts";
import type { JobPage } from "../api/contract.ts";
import { query, type SearchFilter } from "../api/queries.ts";
import { csvOf, EXPORT_LIMIT, readAllPages } from "../export.ts";
import { SEARCH } from "../words/search.ts";
import { Button } from "./fluent.ts";
import { Fault } from "./notices.tsx";

export function Export({ filter }: { readonly filter: SearchFilter }) {
  const running = useRef<AbortController>(undefined);
  const [isRunning, setRunning] = useState(false);
  const [said, say] = useState("");
  const [fault, setFault] = useState<unknown>();
  // Who leaves the view wants no file any more.
  useEffect(() => () => running.current?.abort(), []);

  const start = async () => {
    const stop = new AbortController();
    running.current = stop;
    setRunning(true);
    setFault(undefined);
    say(SEARCH.exporting(0));
    try {
      const read = (limit: number, continuation: string | undefined) =>
        get<JobPage>(`jobs${query({ ...filter, limit, continuation })}`, stop.signal);
      const { jobs, isAll } = await readAllPages(read, (count) => say(SEARCH.exporting(count)));
      save(new Blob([csvOf(jobs)], { type: "text/csv;charset=utf-8" }), fileName());
      say(isAll ? SEARCH.exported(jobs.length) : SEARCH.exportedSome(EXPORT_LIMIT));
    } catch (cause) {
      say(stop.signal.aborted ? SEARCH.exportStopped : "");
      if (!stop.signal.aborted) setFault(cause);
    } finally {
      setRunning(false);
    }
  };

  return (
    <section aria-label={SEARCH.export}>
      <div className="buttons">
        <Button disabled={isRunning} onClick={() => void start()}>
          {SEARCH.exportAsCsv}
        </Button>
        {isRunning && <Button onClick={() => running.current?.abort()}>{SEARCH.stopExport}</Button>}
      </div>
      <p role="status" className="said">
        {said}
      </p>
      {fault !== undefined && <Fault cause={fault} />}
    </section>
  );
}

function fileName(): string {
  return `jobs-${new Date().toISOString().slice(0, "2026-01-31T12:00".length).replaceAll(":", "")}Z.csv`;
}

function save(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
