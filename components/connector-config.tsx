import type { ConnectorView } from "@/lib/views/connector";
import { countOf } from "@/lib/views/format";
import { Card } from "./card";
import { Disclosure } from "./disclosure";
import { Notice } from "./notice";
import { StatusMark } from "./status-mark";

/** The connector's configuration on demand; secrets were masked before they were stored. */
export function ConnectorConfig({ config }: { config: ConnectorView["config"] }) {
  return (
    <Card id="configuration" title="Configuration" note="secrets masked">
      {config === null ? (
        <Notice sentence="Connect's answer holds no configuration of this connector." />
      ) : (
        <div className="mt-2">
          <Disclosure summary={countOf(config.length, "setting")}>
            <dl className="grid grid-cols-[minmax(0,max-content)_minmax(0,1fr)] gap-x-4 gap-y-1 font-mono text-xs max-md:grid-cols-1">
              {config.map(({ name, value, inClear }) => (
                <div key={name} className="contents">
                  <dt className="[overflow-wrap:anywhere] text-text-3">{name}</dt>
                  <dd className="[overflow-wrap:anywhere] max-md:mb-1">
                    {value ?? <span className="text-text-3">not set</span>}
                    {inClear ? (
                      <span className="ml-2 font-sans">
                        <StatusMark outcome="warning">in clear in Connect</StatusMark>
                      </span>
                    ) : null}
                  </dd>
                </div>
              ))}
            </dl>
          </Disclosure>
        </div>
      )}
    </Card>
  );
}
