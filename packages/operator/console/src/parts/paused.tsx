// What is paused, on every view while it lasts.
import { Link } from "wouter";
import type { Pause } from "../api/contract.ts";
import { AGENTS } from "../words/agents.ts";
import { TEXT } from "../words/frame.ts";
import { Instant } from "./zone.tsx";

export function PausedNotices({ pauses }: { readonly pauses: readonly Pause[] | null | undefined }) {
  if (pauses === null) {
    return (
      <div className="paused" role="alert">
        {TEXT.pausesUnknown}
      </div>
    );
  }
  if (pauses === undefined) return null;
  if (pauses.length === 0) return null;
  return (
    <div className="paused" role="status">
      <ul>
        {pauses.map(({ kind, name, by, at, reason }) => (
          <li key={`${kind} ${name}`}>
            <Link href="/agents">{AGENTS.paused(kind, name)}</Link> {AGENTS.since} <Instant at={at} />{" "}
            {AGENTS.by(by, reason)}
          </li>
        ))}
      </ul>
    </div>
  );
}
