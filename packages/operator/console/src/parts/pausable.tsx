// Whether an agent or a workflow takes new work, and its pause and resumption with a reason.

import { type ReactNode, useState } from "react";
import { post } from "../api/client.ts";
import type { Pause, Pauses } from "../api/contract.ts";
import { useSession } from "../api/queries.ts";
import { AGENTS } from "../words/agents.ts";
import { FAULTS } from "../words/frame.ts";
import { Button } from "./fluent.ts";
import { ReasonForm } from "./reason-form.tsx";
import { Instant } from "./zone.tsx";

interface PausableProps {
  readonly kind: Pause["kind"];
  readonly name: string;
  readonly pause: Pause | undefined;
  /** What else is known of it. */
  readonly load?: string | undefined;
  /** Its heading, if the view does not name it otherwise. */
  readonly children?: ReactNode;
}

export function Pausable({ kind, name, pause, load, children }: PausableProps) {
  const { data: session } = useSession();
  const [isOpen, setOpen] = useState(false);
  const change = pause ? "resume" : "pause";
  return (
    <>
      <div className="pausable">
        {children}
        <p>
          {pause ? (
            <>
              <strong>{AGENTS.paused(kind, name)}</strong> {AGENTS.since} <Instant at={pause.at} />{" "}
              {AGENTS.by(pause.by, pause.reason)}
            </>
          ) : (
            [AGENTS.running(children ? undefined : name), load].filter(Boolean).join(" · ")
          )}
        </p>
        <Button disabled={!session?.mayOperate || isOpen} onClick={() => setOpen(true)}>
          {AGENTS.change(change, name)}
        </Button>
      </div>
      {session && !session.mayOperate && <p className="quiet">{FAULTS.forbidden.advice}</p>}
      {isOpen && (
        <ReasonForm
          confirm={AGENTS.confirm(change, name, session?.environment ?? "")}
          send={(reason) => post<Pauses>("pauses", { kind, name, change, reason })}
          close={() => setOpen(false)}
        >
          {change === "pause" && <p>{AGENTS.meaning(kind)}</p>}
        </ReasonForm>
      )}
    </>
  );
}
