import { asSentence } from "@/lib/views/format";
import type { StatusView } from "@/lib/views/status";
import { Card } from "./card";
import { Notice } from "./notice";
import { StatusMark } from "./status-mark";

/** Looks that were refused, with what to grant. */
export function Permissions({ missing }: { missing: StatusView["permissionsMissing"] }) {
  return (
    <Card title="Permissions" note="looks that were refused">
      {missing.length === 0 ? (
        <Notice outcome="ok" sentence="No look has been refused for want of a permission." />
      ) : (
        <ul className="mt-1">
          {missing.map((permission) => (
            <li
              key={permission.cluster + permission.sentence}
              className="border-t border-line px-4 py-2.5 first:border-t-0"
            >
              <StatusMark outcome="warning">refused</StatusMark> <b>{permission.cluster}</b>
              {permission.connectors.length > 0 ? ` (${permission.connectors.join(", ")})` : ""}:{" "}
              {asSentence(permission.sentence)}
              {permission.remedy ? <p className="mt-1">{permission.remedy}</p> : null}
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}
