import net from "node:net";
import tls from "node:tls";
import type { AnswerMemory } from "./answer-memory";
import { FrameReader, impossibleLength } from "./frame-reader";

interface Target {
  host: string;
  port: number;
  ssl: tls.ConnectionOptions | null;
  onConnect: () => void;
  memory: AnswerMemory;
}

/** Opens a socket as kafkajs does, and ends it at the first length of an answer that is impossible. */
export function openGuardedSocket(target: Target): net.Socket {
  const socket = target.ssl ? openTls(target, target.ssl) : openPlain(target);
  socket.setKeepAlive(true, 60_000);
  return socket;
}

/** Its "data" events tell of whole answers, each with its length before it: half the work of a fetch is saved. */
function openPlain({ host, port, onConnect, memory }: Target): net.Socket {
  const frames = new FrameReader(
    memory,
    (frame) => socket.emit("data", frame),
    (fault) => socket.destroy(fault),
  );
  const callback = (bytes: number) => {
    frames.took(bytes);
    return true;
  };
  // Node reads straight into the answer's buffer, and emits no data of its own.
  const onread = { buffer: () => frames.room(), callback };
  const socket = net.connect({ host, port, onread }, onConnect);
  return socket;
}

/** The server's name is told unless it is an address. TLS sockets cannot read into a buffer given. */
function openTls({ host, port, onConnect }: Target, ssl: tls.ConnectionOptions): net.Socket {
  const servername = net.isIP(host) ? {} : { servername: host };
  const socket = tls.connect({ host, port, ...servername, ...ssl }, onConnect);
  guardFrames(socket);
  return socket;
}

/** Watches the length prefixes of what kafkajs gathers itself. */
function guardFrames(socket: net.Socket): void {
  const prefix = Buffer.alloc(4);
  let known = 0;
  let left = 0;
  socket.on("data", (data: Buffer) => {
    for (let at = 0; at < data.length; ) {
      const taken = left > 0 ? Math.min(left, data.length - at) : data.copy(prefix, known, at);
      at += taken;
      if (left > 0) {
        left -= taken;
        continue;
      }
      known += taken;
      if (known < prefix.length) continue;
      const fault = impossibleLength(prefix);
      if (fault) {
        socket.destroy(fault);
        return;
      }
      known = 0;
      left = prefix.readInt32BE(0);
    }
  });
}
