// An action that takes nothing but its reason.

import { type FormEvent, type ReactNode, useState } from "react";
import { ApiFault } from "../api/client.ts";
import { useRefresh } from "../api/queries.ts";
import { TEXT } from "../words/frame.ts";
import { Button, Field, Textarea } from "./fluent.ts";
import { Fault, Progress } from "./notices.tsx";

interface ReasonFormProps {
  /** What the button says. */
  readonly confirm: string;
  readonly send: (reason: string) => Promise<unknown>;
  readonly close: () => void;
  /** What the action means. */
  readonly children?: ReactNode;
}

export function ReasonForm({ confirm, send, close, children }: ReasonFormProps) {
  const refresh = useRefresh();
  const [reason, setReason] = useState("");
  const [hasTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<ApiFault>();
  const act = async () => {
    setBusy(true);
    setFault(undefined);
    try {
      await send(reason);
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
    if (reason.trim() !== "") void act();
  };
  return (
    <form className="decision" noValidate onSubmit={submit}>
      {children}
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
          {confirm}
        </Button>
        <Button disabled={isBusy} onClick={close}>
          {TEXT.cancel}
        </Button>
        <Progress isBusy={isBusy} />
      </div>
      {fault && <Fault cause={fault} />}
    </form>
  );
}
