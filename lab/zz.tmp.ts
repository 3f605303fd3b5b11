import { openLab } from "./lab";
import { openReader } from "./reader";
import { newTally } from "./truth";
import { ledgerOf } from "./ledger";
import { WRITTEN_TABLES } from "./tables";
const lab = openLab(".lab-test");
await Promise.all([lab.start("broker"), lab.start("postgres")]);
const pg = await lab.pg();
const miss: number[] = [];
const seenTx = new Map<string, {n:number, lsns: string[], runs:Set<string>}>();
for (const t of WRITTEN_TABLES.filter((t) => t.database === "postgres")) {
  const tally = newTally();
  const r = await openReader(lab, [t.topic], (rec) => { tally.add(rec); if (rec.value) { const v = JSON.parse(rec.value); const k = String(v.source.txId); const e = seenTx.get(k) ?? {n:0,lsns:[],runs:new Set()}; e.n++; e.lsns.push(`${v.source.lsn}@${v.source.sequence}@${rec.offset}`); seenTx.set(k,e);} });
  await r.readToEnd(); await r.close();
  miss.push(...tally.unseen(await ledgerOf(lab, t)).map((x) => x.changeNo));
}
const q = await pg.query("SELECT xmin::text AS tx, count(*) AS n, min(change_no) AS lo, max(change_no) AS hi FROM written WHERE change_no = ANY($1::bigint[]) GROUP BY 1", [miss]);
console.log(miss.length, q.rows);
for (const { tx } of q.rows) { const all = await pg.query("SELECT count(*) n FROM written WHERE xmin::text = $1", [tx]); console.log("tx", tx, "ledger rows", all.rows, "seen", seenTx.get(tx)?.n, seenTx.get(tx)?.lsns.sort().slice(0, 60)); 
 for (const k of [Number(tx)-3,Number(tx)-2,Number(tx)-1,Number(tx)+1,Number(tx)+2,Number(tx)+3]) { const e = seenTx.get(String(k)); console.log(k, e?.n, e?.lsns.map(l=>l.split("@")).map(a=>a[0]).sort().at(0), e?.lsns.map(l=>l.split("@")).map(a=>a[0]).sort().at(-1), e?.lsns[0]); } }
await pg.end(); 
process.exit(0);
