// Which points the host is to die at: all, or those that between them leave every state behind that a death can leave.

/** Methods that change nothing: a death after one leaves what a death before it leaves. */
const READS =
  /\.(state|latest|job|list|due|isPaused|pausesOf|countInFlight|countByKey|inFlight|availability|next|stillLeads|getStatus|getStatusBy)[#:(]/;

/**
 * A death before a call leaves what the death after the call before it left, and one after a read what one before it left. So one
 * point is enough for each kind of thing that is written or sent, whoever does it: and one at least for each function.
 */
export function essential(points: readonly string[]): string[] {
  const seen = new Set<string>();
  return points.filter((point) => {
    if (point.endsWith(":before") || READS.test(point)) return false;
    const kind = point.slice(point.indexOf(":"));
    if (seen.has(kind) && seen.has(actorOf(point))) return false;
    seen.add(kind).add(actorOf(point));
    return true;
  });
}

/** As the host knows it. */
export function functionOf(point: string): string {
  const [name = ""] = point.split(/[/:]/);
  return name;
}

/** `submission`, `startAttempt`, `agents, as activities`, …: whose await a point is. */
export function actorOf(point: string): string {
  const name = functionOf(point);
  if (name.endsWith("QueueAgent")) return "agents, over queues";
  return name.endsWith("Agent") && name !== "askAgent" ? "agents, as activities" : name;
}
