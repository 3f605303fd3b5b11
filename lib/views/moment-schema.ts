import { z } from "zod";

/** PostgreSQL takes no year 0. Milliseconds since 1970. */
export const earliestMoment = Date.parse("0001-01-01T00:00:00Z");
/** ISO 8601 writes later years with a sign. */
const latest = Date.parse("9999-12-31T23:59:59.999Z");

const within = (text: string) => Date.parse(text) >= earliestMoment && Date.parse(text) <= latest;

/** A moment with its zone, in ISO 8601, that can be stored: of the years 1 to 9999 in UTC. */
export const momentSchema = z.iso.datetime({ offset: true }).refine(within);

/** As {@link momentSchema}, or a day: its begin in UTC. */
export const momentOrDaySchema = z.iso.datetime({ offset: true }).or(z.iso.date()).refine(within);
