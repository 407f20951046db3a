// The connections to remote services: they know whether a request was sent, and read on after an answer that is none yet.
import type { Socket } from "node:net";
import { Agent, buildConnector, type Dispatcher, getGlobalDispatcher } from "undici";

/** The usual one, of undici or of the copy of it in Node: a proxy's and a test's are of classes with other names. */
const first = getGlobalDispatcher();
const usual = first.constructor.name === "Agent" ? first : undefined;

/** Passes over a 100 that nobody asked for, as RFC 9110 section 15.2 demands; undici ends the connection instead. */
const own = new Agent({
  connect: (options, callback) =>
    connect(options, (...[failure, socket]) => {
      if (failure) return callback(failure, null);
      callback(null, passOver100(socket));
    }),
});
const connect = buildConnector({});

/** @param onSent called before the first byte of the request is sent, when the connection stands */
export function dispatcherFor(onSent: () => void): Dispatcher {
  // One that was installed for the whole process, for a proxy or a test, keeps its place.
  const current = getGlobalDispatcher();
  const through = current === usual ? own : current;
  return through.compose((dispatch) => (options, handler) => dispatch(options, watched(handler, onSent)));
}

function watched(handler: Dispatcher.DispatchHandler, onSent: () => void): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...started) => {
      onSent();
      handler.onRequestStart?.(...started);
    },
    onRequestUpgrade: (...upgraded) => handler.onRequestUpgrade?.(...upgraded),
    onResponseStart: (...began) => handler.onResponseStart?.(...began),
    onResponseData: (...came) => handler.onResponseData?.(...came),
    onResponseEnd: (...ended) => handler.onResponseEnd?.(...ended),
    onResponseError: (...failed) => handler.onResponseError?.(...failed),
  };
}

const BEGINS = Buffer.from("HTTP/1.1 100");
const END = "\r\n\r\n";

/** Takes a 100 out of what undici reads, also where it comes in parts. An answer's body begins so in no packet of its own but by intent. */
function passOver100<Of extends Socket>(socket: Of): Of {
  const read = socket.read.bind(socket);
  let held: Buffer | undefined;
  socket.read = (size?: number): Buffer | null => {
    const chunk = read(size) as Buffer | null;
    if (chunk === null) return null;
    let rest = held ? Buffer.concat([held, chunk]) : chunk;
    held = undefined;
    while (rest.subarray(0, BEGINS.length).equals(BEGINS)) {
      const end = rest.indexOf(END);
      if (end < 0) {
        held = rest;
        return null;
      }
      rest = rest.subarray(end + END.length);
    }
    return rest.length === 0 ? null : rest;
  };
  return socket;
}
