// What a person would use instead: kafkajs's consumer and JSON.parse.
import { openConsumer } from "./kafkajs-consumer";
import { measured } from "./measured";

const [broker = "", topic = "", events = ""] = process.argv.slice(2);

interface Event {
  source: { sequence: string };
}

const consumer = await openConsumer(broker, topic);
await measured(async () => {
  let [duplicates, highestCommit, highestLsn] = [0, -1, -1];
  const read = await consumer.read(Number(events), ({ value }) => {
    const parsed = JSON.parse(value?.toString() ?? "null") as Event & { payload?: Event };
    const [commit, lsn] = JSON.parse((parsed.payload ?? parsed).source.sequence).map(Number);
    if (commit > highestCommit || (commit === highestCommit && lsn > highestLsn))
      [highestCommit, highestLsn] = [commit, lsn];
    else duplicates += 1;
  });
  return { events: read, duplicates };
});
await consumer.close();
