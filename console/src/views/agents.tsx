// Agents with their endpoints as each instance sees them, and workflows: either can be paused and resumed.
import { Button, Field, Textarea } from "@fluentui/react-components";
import { type FormEvent, useState } from "react";
import { ApiFault, post } from "../api/client.ts";
import type { AgentStandings, EndpointStanding, Pause, Pauses } from "../api/contract.ts";
import { useAgents, useRefresh, useSession } from "../api/queries.ts";
import { Fault, Loaded, Progress } from "../parts/notices.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Age, Instant } from "../parts/zone.tsx";
import { AGENTS, HEALTHS } from "../words/agents.ts";
import { FAULTS, TEXT } from "../words/frame.ts";

export function AgentsView() {
  const agents = useAgents();
  return (
    <>
      <h1>{AGENTS.title}</h1>
      <Loaded query={agents}>{(data) => <Standings standings={data} />}</Loaded>
    </>
  );
}

function Standings({ standings: { agents, workflows, pauses } }: { readonly standings: AgentStandings }) {
  const pauseOf = (kind: Pause["kind"], name: string) =>
    pauses.find((pause) => pause.kind === kind && pause.name === name);
  return (
    <>
      {agents.map(({ name, instances }) => (
        <section key={name} className="section" aria-labelledby={`agent-${name}`}>
          <h2 id={`agent-${name}`}>{name}</h2>
          <Pausable kind="agent" name={name} pause={pauseOf("agent", name)} />
          <Endpoints instances={instances} />
        </section>
      ))}
      <h2>{AGENTS.workflows}</h2>
      {workflows.map((name) => (
        <section key={name} className="section" aria-labelledby={`workflow-${name}`}>
          <h3 id={`workflow-${name}`}>{name}</h3>
          <Pausable kind="workflow" name={name} pause={pauseOf("workflow", name)} />
        </section>
      ))}
    </>
  );
}

interface Row extends EndpointStanding {
  readonly instance: string;
  readonly at: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: AGENTS.endpoint, cell: ({ endpoint }) => endpoint },
  { name: AGENTS.instance, cell: ({ instance }) => instance },
  {
    name: AGENTS.health,
    cell: ({ health, isSlow }) => (
      <span className={health === "healthy" ? undefined : "fault"}>
        {HEALTHS[health]}
        {isSlow && `, ${AGENTS.slow}`}
      </span>
    ),
  },
  { name: AGENTS.load, cell: ({ inFlight, capacity }) => AGENTS.loadOf(inFlight, capacity) },
  { name: AGENTS.lastError, cell: ({ lastError }) => lastError && <span className="message">{lastError}</span> },
  { name: AGENTS.said, cell: ({ at }) => <Age at={at} /> },
];

interface EndpointsProps {
  readonly instances: AgentStandings["agents"][number]["instances"];
}

function Endpoints({ instances }: EndpointsProps) {
  const rows = instances.flatMap(({ instance, at, endpoints }) => endpoints.map((one) => ({ ...one, instance, at })));
  if (rows.length === 0) return <p className="quiet">{AGENTS.noReports}</p>;
  return (
    <Table
      caption={AGENTS.endpoints}
      columns={COLUMNS}
      rows={rows}
      keyOf={({ endpoint, instance }) => `${endpoint} ${instance}`}
    />
  );
}

interface PausableProps {
  readonly kind: Pause["kind"];
  readonly name: string;
  readonly pause: Pause | undefined;
}

function Pausable({ kind, name, pause }: PausableProps) {
  const { data: session } = useSession();
  const [isOpen, setOpen] = useState(false);
  const change = pause ? "resume" : "pause";
  return (
    <>
      <div className="pausable">
        <p>
          {pause ? (
            <>
              <strong>{AGENTS.paused(kind, name)}</strong> {AGENTS.since} <Instant at={pause.at} />{" "}
              {AGENTS.by(pause.by, pause.reason)}
            </>
          ) : (
            AGENTS.running
          )}
        </p>
        <Button
          disabled={!session?.mayOperate || isOpen}
          aria-label={AGENTS.change(change, name)}
          onClick={() => setOpen(true)}
        >
          {AGENTS[change]}
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
