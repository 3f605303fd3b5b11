"use client";

import { ClockOf } from "@/components/clock";
import { PageSkeleton } from "@/components/skeleton";
import { WatchBanner } from "@/components/watch-banner";
import type { Watch } from "@/lib/views/watch";
import type { LiveData } from "./use-live";

/** A polled page: the banner that says what is wrong, then its content, or a skeleton until there is some. */
export function LivePage<T extends { watch: Watch }>({
  live,
  skeleton,
  cluster,
  children,
}: {
  live: LiveData<T>;
  skeleton: readonly string[];
  /** Only this cluster's faults matter here. */
  cluster?: string;
  children: (view: T) => React.ReactNode;
}) {
  const { view, receivedAt, trouble } = live;
  if (!view) {
    return (
      <>
        <WatchBanner watch={null} trouble={trouble} />
        <PageSkeleton panels={skeleton} />
      </>
    );
  }
  return (
    <ClockOf serverNow={view.watch.now} receivedAt={receivedAt}>
      <WatchBanner watch={view.watch} trouble={trouble} cluster={cluster} />
      <div className={trouble ? "stale-text" : ""} data-stale={trouble ? true : undefined}>
        {children(view)}
      </div>
    </ClockOf>
  );
}
