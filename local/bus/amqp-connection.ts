// One client's connection: writes once a turn, acknowledges TCP early, and hands raw messages on undecoded.
import type { BusConnection, BusSession, TransferFrame } from "./rhea-internals.ts";

/** rhea decodes messages of format 0 only; under this one they arrive as the bytes that were sent. */
const RAW_FORMAT = 0x7fff_0001;
/** A batch: each data section holds one encoded message. */
export const BATCH_FORMAT = 0x8001_3700;

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

/** Makes a session deliver messages as bytes: decoding costs more than all the rest, and re-encoding is lossy. */
export function passRaw(session: BusSession): void {
  const receive = session.on_transfer;
  session.on_transfer = (frame: TransferFrame) => {
    const { performative } = frame;
    if (!performative.message_format) performative.message_format = RAW_FORMAT;
    receive.call(session, frame);
  };
}
