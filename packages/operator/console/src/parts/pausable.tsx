// Whether an agent or a workflow takes new work, and its pause and resumption with a reason.

import { type FormEvent, type ReactNode, useState } from "react";
import { ApiFault, post } from "../api/client.ts";
import type { Pause, Pauses } from "../api/contract.ts";
import { useRefresh, useSession } from "../api/queries.ts";
import { AGENTS } from "../words/agents.ts";
import { FAULTS, TEXT } from "../words/frame.ts";
import { Button, Field, Textarea } from "./fluent.ts";
import { Fault, Progress } from "./notices.tsx";
import { Instant } from "./zone.tsx";

interface PausableProps {
  readonly kind: Pause["kind"];
  readonly name: string;
  readonly pause: Pause | undefined;
  /** What else is known of it. */
  readonly standing?: string | undefined;
  /** Its heading, if the view does not name it otherwise. */
  readonly children?: ReactNode;
}

export function Pausable({ kind, name, pause, standing, children }: PausableProps) {
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
            [AGENTS.running(children ? undefined : name), standing].filter(Boolean).join(" · ")
          )}
        </p>
        <Button disabled={!session?.mayOperate || isOpen} onClick={() => setOpen(true)}>
          {AGENTS.change(change, name)}
        </Button>
      </div>
      {session && !session.mayOperate && <p className="quiet">{FAULTS.forbidden.advice}</p>}
      {isOpen && <Change kind={kind} name={name} change={change} close={() => setOpen(false)} />}
    </>
  );
}

interface ChangeProps {
  readonly kind: Pause["kind"];
  readonly name: string;
  readonly change: "pause" | "resume";
  readonly close: () => void;
}

function Change({ kind, name, change, close }: ChangeProps) {
  const { data: session } = useSession();
  const refresh = useRefresh();
  const [reason, setReason] = useState("");
  const [hasTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<ApiFault>();
  const send = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      await post<Pauses>("pauses", { kind, name, change, reason });
      await refresh();
      close();
    } catch (cause) {
      setFault(cause instanceof ApiFault ? cause : new ApiFault("failed", 0, String(cause)));
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (reason.trim() !== "") void send();
  };
  return (
    <form className="decision" noValidate onSubmit={submit}>
      {change === "pause" && <p>{AGENTS.meaning(kind)}</p>}
      <Field
        label={TEXT.reason}
        hint={TEXT.messageReasonHint}
        required
        validationMessage={hasTried && reason.trim() === "" ? TEXT.reasonMissing : null}
      >
        <Textarea value={reason} maxLength={500} onChange={(_, { value }) => setReason(value)} />
      </Field>
      <div className="buttons">
        <Button type="submit" appearance="primary" disabled={isBusy}>
          {AGENTS.confirm(change, name, session?.environment.name ?? "")}
        </Button>
        <Button disabled={isBusy} onClick={close}>
          {AGENTS.cancel}
        </Button>
        <Progress isBusy={isBusy} />
      </div>
      {fault && <Fault cause={fault} />}
    </form>
  );
}
