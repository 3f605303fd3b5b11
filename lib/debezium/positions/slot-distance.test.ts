import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject } from "../json";
import { reportedCase } from "./fixtures/read";
import { lsnText } from "./lsn";
import { slotDistance } from "./slot-distance";

test("OFF-23: the stored LSN against the slot's, both ways", () => {
  const { input, expected } = reportedCase("OFF-23");
  if (!isJsonObject(input) || !isJsonObject(input.offset) || !isJsonObject(input.slot))
    throw new Error("input");
  if (!isJsonObject(expected)) throw new Error("expected");
  const answer = slotDistance(input.offset, input.slot.confirmed_flush_lsn ?? null);
  if (answer.state === "unknown") throw new Error(answer.why);
  const { offset, slot, aheadOfSlot, aheadOfOffset, text, state } = answer;
  expect(offset).toEqual({ key: "lsn_proc", text: expected.lsn_proc });
  expect(`${aheadOfSlot} (offset ${offset.text} minus slot ${slot})`).toBe(expected.ahead_of_slot_bytes);
  expect(aheadOfOffset).toBe(-67520n);
  expect(state).toBe("offset-ahead");
  expect(text.toLowerCase()).toContain(String(expected.state));
});

test.each([
  ["equal", { lsn_proc: 5 }, "0/5", "equal", /up to the offset/],
  ["the slot ahead", { lsn_proc: 5 }, "0/6", "slot-ahead", /1 byte of WAL beyond .* would not get it/],
  ["a snapshot's offset", { lsn: 5 }, "0/4", "offset-ahead", /these 1 byte/],
  ["lsn_commit before lsn", { lsn: 9, lsn_commit: 5 }, "0/5", "equal", /Normal/],
] as const)("%s", (_, offset, slot, state, text) => {
  expect(slotDistance(offset, slot)).toMatchObject({ state, text: expect.stringMatching(text) });
});

test.each([
  ["no LSN in the offset", {}, "0/5", /offset has no LSN/],
  ["nothing confirmed", { lsn: 5 }, null, /nothing was confirmed/],
  ["not an LSN", { lsn: 5 }, "5", /confirmed_flush_lsn is "5"/],
  ["a number", { lsn: 5 }, 5, /confirmed_flush_lsn is 5/],
] as const)("unknown: %s", (_, offset, slot, why) => {
  expect(slotDistance(offset, slot)).toEqual({ state: "unknown", why: expect.stringMatching(why) });
});

test("the two distances are each other's opposite, and tell the state", () => {
  const lsn = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(lsn, lsn, (stored, confirmed) => {
      const answer = slotDistance({ lsn_proc: stored }, lsnText(confirmed));
      if (answer.state === "unknown") throw new Error(answer.why);
      expect(answer.aheadOfSlot).toBe(stored - confirmed);
      expect(answer.aheadOfOffset).toBe(confirmed - stored);
      expect(answer.state).toBe(
        stored > confirmed ? "offset-ahead" : stored < confirmed ? "slot-ahead" : "equal",
      );
    }),
  );
});
