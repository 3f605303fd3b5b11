import type { DuplicatesSection } from "@/lib/views/duplicates-schema";
import { Disclosure } from "./disclosure";

/** What consumers may rely on about order, and what not. */
export function DuplicatesOrder({ order }: { order: DuplicatesSection["order"] }) {
  if (order.length === 0) return null;
  return (
    <Disclosure summary="What is guaranteed in order, and what is not">
      <ul className="grid max-w-[92ch] gap-1.5">
        {order.map(({ holds, sentence }) => (
          <li
            key={sentence}
            className="grid grid-cols-[7.5rem_minmax(0,1fr)] gap-2 max-md:grid-cols-1 max-md:gap-0"
          >
            <span className={`font-semibold ${holds ? "text-ok" : "text-text-3"}`}>
              <span aria-hidden="true">{holds ? "✓" : "–"}</span> {holds ? "guaranteed" : "not guaranteed"}
            </span>
            <span className="text-text-2">{sentence}</span>
          </li>
        ))}
      </ul>
    </Disclosure>
  );
}
