// One client's connection: ends at its first fault and harms no other, writes once a turn, and acknowledges TCP early.
import { messageOf } from "../../thrown.ts";
import type { BusConnection } from "../rhea-internals.ts";
import { FrameReader, ProtocolFault } from "./frame-reader.ts";

/** How long a client that is told of its fault may take to leave. */
const LEAVE_MS = 1000;
/** The shortest silence that AMQP allows to forbid; below it the connection is refused (part 2, section 2.4.5). */
const MIN_IDLE_MS = 100;
const MAX_TIMER_MS = 2 ** 31 - 1;
const MIN_FRAME_BYTES = 512;
const NOTHING = Buffer.alloc(0);

/**
 * Stands between the socket and rhea, from before the first byte: rhea gets whole and checked frames only, and whatever it
 * throws, now or in a later turn, ends this connection with an AMQP error.
 */
export function guardConnection(connection: BusConnection, log: (line: string) => void): void {
  const reader = new FrameReader();
  const process_ = connection._process;
  const dispatch = connection.dispatch;
  let isEnded = false;

  const end = (cause: unknown): void => {
    if (isEnded) return;
    isEnded = true;
    const { condition, message } = asFault(cause);
    log(`AMQP connection ended: ${condition}: ${message}`);
    // rhea clears the reason once it has written the close: it must be written at once.
    Reflect.deleteProperty(connection, "output");
    if (connection.is_open()) connection.close({ condition, description: message });
    // Behind the close, which rhea writes before this turn ends.
    setImmediate(() => connection.socket.end());
    const timer = setTimeout(() => connection.socket.destroy(), LEAVE_MS);
    connection.socket.once("close", () => clearTimeout(timer));
  };

  const read = (chunk: Buffer): void => {
    const frames = reader.take(chunk);
    connection.heartbeat_in?.refresh();
    if (frames.length > 0) connection.transport.read(frames);
    if (reader.fault) throw reader.fault;
    if (connection.transport.has_writes_pending()) connection.output();
    else if (connection.is_closed()) connection.socket.end();
    if (reader.isHeld) setImmediate(() => connection.input(NOTHING));
  };

  connection.input = (chunk) => {
    if (isEnded) return;
    try {
      read(chunk);
    } catch (cause) {
      end(cause);
    }
  };
  connection._process = () => {
    try {
      process_.call(connection);
    } catch (cause) {
      end(cause);
    }
  };
  connection.dispatch = (name, ...context) => {
    // What rhea caught while it wrote.
    if (name !== "error" && name !== "protocol_error") return dispatch.call(connection, name, ...context);
    end(context[0]);
    return true;
  };
}

function asFault(cause: unknown): { condition: string; message: string } {
  if (cause instanceof ProtocolFault) return cause;
  return { condition: "amqp:illegal-state", message: messageOf(cause) };
}

/** Refuses what the client announced if rhea or a timer could not live with it. */
export function checkOpen(connection: BusConnection): void {
  const { open } = connection.remote;
  const { max_frame_size: frameBytes, idle_time_out: idleMs } = open;
  if (typeof frameBytes === "number" && frameBytes < MIN_FRAME_BYTES) {
    throw new ProtocolFault("amqp:invalid-field", `max-frame-size has to be ${MIN_FRAME_BYTES} at least`);
  }
  if (typeof idleMs !== "number" || idleMs === 0) return;
  if (idleMs < MIN_IDLE_MS) {
    throw new ProtocolFault("amqp:invalid-field", `idle-time-out has to be ${MIN_IDLE_MS} at least`);
  }
  open.idle_time_out = Math.min(idleMs, MAX_TIMER_MS);
}

/**
 * rhea writes each frame by itself, and renews a timer with each. Here all frames of a turn go out in one write.
 * A client that waits for the TCP acknowledgement of what it sent before it sends more (Nagle) would lose 40 ms to
 * delayed acknowledgement; so input that led to no output until the group commit is answered by an empty frame.
 */
export function smoothOutput(connection: BusConnection): void {
  const { socket } = connection;
  const write = connection.output;
  let isFlushing = false;
  let owesOutput = false;
  connection.output = () => {
    if (isFlushing) return;
    isFlushing = true;
    process.nextTick(() => {
      isFlushing = false;
      owesOutput = false;
      socket.cork();
      write.call(connection);
      socket.uncork();
    });
  };
  socket.on("data", () => {
    if (owesOutput) return;
    owesOutput = true;
    // Runs behind the group commit of this turn, which was asked for while rhea read the data.
    setImmediate(() => {
      if (owesOutput && !isFlushing && connection.is_open()) connection._write_frame(0);
      owesOutput = false;
    });
  });
}
