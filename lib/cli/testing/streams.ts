import { Readable, Writable } from "node:stream";

/** Streams of a command, and what it wrote to them. */
export function streamsOf(stdin: string | Buffer = "", stderr: { isTTY?: boolean; columns?: number } = {}) {
  const written = { stdout: "", stderr: "" };
  const sink = (name: "stdout" | "stderr") =>
    new Writable({
      write(chunk, _encoding, done) {
        written[name] += String(chunk);
        done();
      },
    }) as unknown as NodeJS.WriteStream;
  const io = {
    stdin: Readable.from(stdin.length === 0 ? [] : [Buffer.from(stdin)]) as unknown as NodeJS.ReadStream,
    stdout: sink("stdout"),
    stderr: Object.assign(sink("stderr"), stderr),
  };
  return { io, written };
}
