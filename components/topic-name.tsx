import { Fragment } from "react";

/** A topic's name, which may be broken after its dots and dashes where it has to be. */
export function TopicName({ name }: { name: string }) {
  const parts = name.split(/(?<=[._-])/);
  return (
    <span className="font-mono text-[.93em] [overflow-wrap:anywhere]">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one name never move
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  );
}
