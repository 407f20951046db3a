// Searches that an operator wants again: kept in this browser alone.

import { useState } from "react";
import { Link } from "wouter";
import { type JobFilter, query } from "../api/queries.ts";
import { SEARCH } from "../words/search.ts";
import { filterWords } from "./bulk-of-search.tsx";
import { Button } from "./fluent.ts";

const KEPT = "searches";
const MOST = 20;

export function SavedSearches({ filter }: { readonly filter: JobFilter }) {
  const [saved, setSaved] = useState(read);
  const address = query({ ...filter });
  const keep = (searches: readonly string[]) => {
    localStorage.setItem(KEPT, JSON.stringify(searches));
    setSaved(searches);
  };
  const isNew = address !== "" && !saved.includes(address);
  if (saved.length === 0 && !isNew) return null;
  return (
    <section className="saved" aria-label={SEARCH.saved}>
      {saved.length > 0 && (
        <ul>
          {saved.map((one) => (
            <li key={one}>
              <Link href={`/search${one}`}>{wordsOf(one)}</Link>{" "}
              <Button
                size="small"
                aria-label={SEARCH.removeSaved(wordsOf(one))}
                onClick={() => keep(saved.filter((other) => other !== one))}
              >
                {SEARCH.remove}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {isNew && (
        <Button size="small" onClick={() => keep([address, ...saved].slice(0, MOST))}>
          {SEARCH.save}
        </Button>
      )}
    </section>
  );
}

const wordsOf = (address: string): string => filterWords(Object.fromEntries(new URLSearchParams(address)));

function read(): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => typeof one === "string" && one.startsWith("?")) : [];
  } catch {
    return [];
  }
}
