import net from "node:net";
import tls from "node:tls";

/** Bytes that one answer of a broker may have. Metadata of 100,000 partitions takes about 5 MB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** The other end does not answer in Kafka's protocol, or far too much. */
class NotKafkaError extends Error {
  override name = "NotKafkaError";
  constructor(
    message: string,
    readonly code: "NOT_KAFKA" | "WANTS_TLS" | "TOO_LARGE",
  ) {
    super(message);
  }
}

/**
 * Watches the length prefixes of a broker's answers and ends the socket at the first impossible one,
 * before anything is kept of it: another service's greeting reads as a length of hundreds of megabytes.
 */
function guardFrames(socket: net.Socket, maxBytes = MAX_ANSWER_BYTES): void {
  let header: number[] = [];
  let left = 0;
  socket.on("data", (data: Buffer) => {
    let at = 0;
    while (at < data.length) {
      if (left > 0) {
        const taken = Math.min(left, data.length - at);
        left -= taken;
        at += taken;
        continue;
      }
      header.push(data[at] ?? 0);
      at += 1;
      if (header.length < 4) continue;
      const fault = impossibleLength(Buffer.from(header), maxBytes);
      if (fault) {
        socket.destroy(fault);
        return;
      }
      left = Buffer.from(header).readInt32BE(0);
      header = [];
    }
  });
}

function impossibleLength(header: Buffer, maxBytes: number): NotKafkaError | null {
  const length = header.readInt32BE(0);
  if (length >= 0 && length <= maxBytes) return null;
  // A TLS alert or handshake record: type 0x15 or 0x16, version 0x03xx.
  if ((header[0] === 0x15 || header[0] === 0x16) && header[1] === 0x03) {
    return new NotKafkaError("it answered in TLS", "WANTS_TLS");
  }
  const text = header.toString("latin1");
  if (/^[\x20-\x7e]{4}$/.test(text))
    return new NotKafkaError(`its answer begins with "${text}"`, "NOT_KAFKA");
  return new NotKafkaError(`its answer claims to have ${length} bytes`, "TOO_LARGE");
}

/** Opens a socket as kafkajs does (server name for TLS unless it is an address), guarded. */
export function openGuardedSocket(target: {
  host: string;
  port: number;
  ssl: tls.ConnectionOptions | null;
  onConnect: () => void;
}): net.Socket {
  const { host, port, ssl, onConnect } = target;
  const socket = ssl
    ? tls.connect({ host, port, ...(net.isIP(host) ? {} : { servername: host }), ...ssl }, onConnect)
    : net.connect({ host, port }, onConnect);
  socket.setKeepAlive(true, 60_000);
  guardFrames(socket);
  return socket;
}
