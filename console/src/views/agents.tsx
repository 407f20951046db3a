// Agents with their endpoints as each instance sees them, and workflows: either can be paused and resumed.
import type { AgentStandings, EndpointStanding, Pause } from "../api/contract.ts";
import { useAgents } from "../api/queries.ts";
import { Loaded } from "../parts/notices.tsx";
import { Pausable } from "../parts/pausable.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Age } from "../parts/zone.tsx";
import { AGENTS, HEALTHS } from "../words/agents.ts";

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
