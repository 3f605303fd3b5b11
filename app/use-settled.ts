"use client";

import { useEffect, useState } from "react";

/** The value once it has stood still for a while, in milliseconds: not each key is worth a request. */
export function useSettled<T>(value: T, ms: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}
