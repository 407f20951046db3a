// Agents with their endpoints as each instance sees them, and workflows: either can be paused and resumed.
import type { AgentHealth, EndpointHealth, Pause } from "../api/contract.ts";
import { useAgents } from "../api/queries.ts";
import { Loaded } from "../parts/notices.tsx";
import { Pausable } from "../parts/pausable.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Age, Said } from "../parts/zone.tsx";
import { AGENTS, HEALTHS } from "../words/agents.ts";

export function AgentsView() {
  const agents = useAgents();
  return (
    <>
      <h1>{AGENTS.title}</h1>
      <Loaded query={agents}>{(data) => <Pausables health={data} />}</Loaded>
    </>
  );
}

function Pausables({ health: { agents, workflows, pauses } }: { readonly health: AgentHealth }) {
  const pauseOf = (kind: Pause["kind"], name: string) =>
    pauses.find((pause) => pause.kind === kind && pause.name === name);
  return (
    <>
      {agents.map(({ name, instances }) => (
        <section key={name} className="section" aria-labelledby={`agent-${name}`}>
          <Pausable kind="agent" name={name} pause={pauseOf("agent", name)} load={wellWords(instances)}>
            <h2 id={`agent-${name}`}>{name}</h2>
          </Pausable>
          {!areWell(instances) && <Endpoints instances={instances} />}
        </section>
      ))}
      <h2>{AGENTS.workflows}</h2>
      {workflows.map((name) => (
        <section key={name} className="section" aria-labelledby={`workflow-${name}`}>
          <Pausable kind="workflow" name={name} pause={pauseOf("workflow", name)}>
            <h3 id={`workflow-${name}`}>{name}</h3>
          </Pausable>
        </section>
      ))}
    </>
  );
}

interface Row extends EndpointHealth {
  readonly instance: string;
  readonly at: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { name: AGENTS.endpoint, cell: ({ endpoint }) => <span className="address">{endpoint}</span> },
  { name: AGENTS.instance, cell: ({ instance }) => <span className="whole">{instance}</span> },
  {
    name: AGENTS.health,
    cell: ({ health, isSlow }) => (
      <span className={health === "healthy" ? undefined : "fault"}>
        {HEALTHS[health]}
        {isSlow && `, ${AGENTS.slow}`}
      </span>
    ),
  },
  { name: AGENTS.openSince, cell: ({ since }) => since && <Age at={since} /> },
  { name: AGENTS.load, cell: ({ inFlight, capacity }) => AGENTS.loadOf(inFlight, capacity) },
  {
    name: AGENTS.lastError,
    cell: ({ lastError }) =>
      lastError && (
        <span className="message">
          <Said text={lastError} />
        </span>
      ),
  },
  { name: AGENTS.said, cell: ({ at }) => <Age at={at} /> },
];

type Instances = AgentHealth["agents"][number]["instances"];

interface EndpointsProps {
  readonly instances: Instances;
}

const endpointsOf = (instances: Instances) => instances.flatMap(({ endpoints }) => endpoints);
const areWell = (instances: Instances): boolean =>
  endpointsOf(instances).every(({ health, isSlow }) => health === "healthy" && !isSlow);

/** A healthy agent is one line: its endpoints have nothing more to say. */
function wellWords(instances: Instances): string | undefined {
  const endpoints = endpointsOf(instances);
  if (!areWell(instances)) return undefined;
  const sum = (of: "inFlight" | "capacity") => endpoints.reduce((total, one) => total + one[of], 0);
  return endpoints.length === 0 ? AGENTS.noCalls : AGENTS.well(sum("inFlight"), sum("capacity"));
}

function Endpoints({ instances }: EndpointsProps) {
  const rows = instances.flatMap(({ instance, at, endpoints }) => endpoints.map((one) => ({ ...one, instance, at })));
  return (
    <Table
      caption={AGENTS.endpoints}
      columns={COLUMNS}
      rows={rows}
      keyOf={({ endpoint, instance }) => `${endpoint} ${instance}`}
    />
  );
}
