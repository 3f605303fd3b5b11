import type { JsonObject, JsonValue } from "../json";
import { booleanField, plural, quoted, textField, wholeField } from "./field-kinds";
import { commitScnText, lcrOf, lowestCommit, parseCommitScn, pendingTransactions, scnOf } from "./oracle-scn";
import type { FieldKind } from "./position";

function scnField(meaning: string, text: (scn: bigint, offset: JsonObject) => string = String): FieldKind {
  return {
    meaning,
    read(value, offset = {}) {
      const scn = scnOf(value);
      if (scn === undefined) return { problem: `is ${quoted(value)}, not an SCN as a whole number` };
      return { text: scn === null ? "none" : text(scn, offset) };
    },
  };
}

/** `7766001 (119 below the lowest commit SCN)`: what a restart mines again. */
function resumeText(scn: bigint, offset: JsonObject): string {
  const { commits } = parseCommitScn(offset.commit_scn);
  const lowest = commits ? lowestCommit(commits) : null;
  if (lowest === null || lowest < scn) return scn.toString();
  return lowest === scn
    ? `${scn} (the lowest commit SCN)`
    : `${scn} (${lowest - scn} below the lowest commit SCN)`;
}

const commitField: FieldKind = {
  meaning: "SCN of the last commit that was sent, in each redo thread; a restart skips what is up to it.",
  read(value: JsonValue) {
    const { commits, problem } = parseCommitScn(value);
    return problem === undefined ? { text: commitScnText(commits) } : { problem };
  },
};

const pendingField = textField(
  "Transactions that were open when the snapshot was taken, and the SCN at which each began.",
  (text) => {
    const pending = pendingTransactions(text);
    if (pending === null) return { problem: `is ${quoted(text)}, not a list of transactions and SCNs` };
    if (pending.length === 0) return { text: "none" };
    const each = pending.map(({ id, scn }) => `${id} from SCN ${scn}`).join(", ");
    return { text: `${plural(pending.length, "transaction")}: ${each}` };
  },
);

const lcrField = textField(
  "XStream's position of the last change sent (LCR); a restart goes on after it.",
  (text) => {
    const lcr = lcrOf(text);
    return lcr === null ? { problem: `is ${quoted(text)}, not a position in hexadecimal` } : { text };
  },
);

/** The keys that OracleOffsetContext stores, from 1.9 to 3.7. */
export const oracleFields = {
  scn: scnField(
    "Resume SCN: a restart mines the redo log from here, before the oldest transaction that was open.",
    resumeText,
  ),
  scn_idx: wholeField("OpenLogReplicator's count of the events at scn that are done."),
  lcr_position: lcrField,
  commit_scn: commitField,
  txId: textField("Transaction of the last event that was sent."),
  txSeq: wholeField(
    "Number of that event in its transaction; a restart skips the transaction up to it (3.2 and later).",
  ),
  snapshot_scn: scnField("SCN by which the snapshot was taken; streaming begins at or before it."),
  snapshot_commit_scn: scnField(
    "SCN at which the snapshot was taken: what was committed up to it is in the snapshot.",
  ),
  snapshot_pending_tx: pendingField,
  window_advance_enabled: booleanField("Whether the mining window has been moved on past long transactions."),
};
