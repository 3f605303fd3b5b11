"use client";

import dynamic from "next/dynamic";

/** A grey block of a chart's own size, while its code is on its way. */
function ChartSkeleton() {
  return <div aria-hidden="true" data-loading="chart" className="h-full w-full rounded-card bg-sunken" />;
}

/** Charts are drawn in the browser only, and their library is loaded when one is shown. */
export const LazySawTooth = dynamic(() => import("./saw-tooth-chart").then((m) => m.SawToothChart), {
  ssr: false,
  loading: ChartSkeleton,
});
export const LazyFlushDial = dynamic(() => import("./flush-dial-chart").then((m) => m.FlushDialChart), {
  ssr: false,
  loading: ChartSkeleton,
});
export const LazyReplayTimeline = dynamic(
  () => import("./replay-timeline-chart").then((m) => m.ReplayTimelineChart),
  { ssr: false, loading: ChartSkeleton },
);
