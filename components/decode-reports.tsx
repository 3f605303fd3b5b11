import { connectorLabel, isConnectorType } from "@/lib/debezium/connector-type";
import type { DecodeAnswer } from "@/lib/views/decode-request";
import { countOf } from "@/lib/views/format";
import { CopyButton } from "./copy-button";
import { DecodedPartitionView } from "./decoded-partition";
import { DecodedRecords } from "./decoded-records";
import { Notice } from "./notice";

type Report = DecodeAnswer["reports"][number];

function labelOf({ connector, records }: Report): string {
  if (records && connector === "unknown") return "records";
  if (records && connector === "several") return "records of several connectors";
  return isConnectorType(connector) ? connectorLabel(connector) : connector;
}

/** What was pasted, explained: one panel for each connector in it. */
export function DecodeReports({ answer }: { answer: DecodeAnswer }) {
  return (
    <div className="grid gap-3.5">
      {answer.reports.map((report, index) => {
        const label = labelOf(report);
        return (
          <section
            // biome-ignore lint/suspicious/noArrayIndexKey: two reports may be alike in all but their place
            key={index}
            aria-label={`Decoded as ${label}`}
            className="rounded-card border border-line bg-surface shadow-card"
          >
            <div className="flex items-center px-4 pt-3">
              <h2 className="text-sm font-semibold">
                {label}
                {report.name ? <span className="font-normal text-text-3"> · {report.name}</span> : null}
                {report.records ? (
                  <span className="font-normal text-text-3">
                    {" "}
                    · {countOf(report.records.length, "record")}
                  </span>
                ) : null}
              </h2>
              <span className="ml-auto">
                <CopyButton text={JSON.stringify(report, null, 2)} label="the answer as JSON" />
              </span>
            </div>
            {report.partitions.length === 0 && !report.records ? (
              <Notice outcome="info" sentence="The list of offsets is empty: none is stored." />
            ) : null}
            {report.partitions.map((partition, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same partition may be pasted twice
              <DecodedPartitionView key={place} partition={partition} />
            ))}
            {report.records ? <DecodedRecords records={report.records} /> : null}
          </section>
        );
      })}
    </div>
  );
}
