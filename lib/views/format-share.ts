const nbsp = "\u00a0";

/** Smaller than this, a share of one in percent has nothing to show but that it is not zero. */
const leastPercent = 0.001;
const mostPercent = 99.9;

const fine = new Intl.NumberFormat("en-GB", { maximumSignificantDigits: 2 });
const tenths = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 });

/** A share of one in percent: `0.8 %`, `12.3 %`. What is not 0 never becomes `0 %`, nor what is not all `100 %`. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent <= 0) return `0${nbsp}%`;
  if (percent < leastPercent) return `<${nbsp}${leastPercent}${nbsp}%`;
  if (percent > mostPercent && percent < 100) return `>${nbsp}${mostPercent}${nbsp}%`;
  return `${(percent < 10 ? fine : tenths).format(percent)}${nbsp}%`;
}

/** Half the width of an interval of shares, in points of a percent: `±0.2 %`. */
export function formatSpread([low, high]: readonly [number, number]): string {
  return `±${formatShare((high - low) / 2)}`;
}
